import Synchronization

/// A value that changes hands between threads.
///
/// The thread that takes it out is its only owner. So that thread alone frees it, and can change it without a copy.
public final class Parcel<Value: Sendable>: Sendable {
    private let content: Mutex<Value?>

    init(_ value: Value) { content = Mutex(value) }

    /// Takes the value out, once.
    public func take() -> Value {
        let value = content.withLock { content in
            defer { content = nil }
            return content
        }
        guard let value else { preconditionFailure("A parcel is opened once.") }
        return value
    }
}
