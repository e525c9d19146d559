/// An optional value that is stored apart from its owner, in which it takes eight bytes, whatever its size.
///
/// It is for what few owners have, or have for a while. There is one owner, so no references are counted.
struct Apart<Value>: ~Copyable {
    private var place: UnsafeMutablePointer<Value>?

    init() {}

    init(_ value: consuming Value) { put(value) }

    deinit { place?.deinitialize(count: 1).deallocate() }

    var isEmpty: Bool { @inline(__always) get { place == nil } }

    /// Changing it moves it out and back, unless it is nil before and after.
    var value: Value? {
        @inline(__always) get { place?.pointee }
        // Moved, and not copied.
        @inline(__always) _modify {
            var value = take()
            defer { if let value { put(value) } }
            yield &value
        }
    }

    /// The value, which must be there, changed in place.
    var present: Value {
        @inline(__always) _read { yield place!.pointee }
        @inline(__always) _modify { yield &place!.pointee }
    }

    private mutating func take() -> Value? {
        guard let place else { return nil }
        defer {
            place.deallocate()
            self.place = nil
        }
        return place.move()
    }

    private mutating func put(_ value: consuming Value) {
        place = .allocate(capacity: 1)
        place?.initialize(to: value)
    }
}
