/// An optional value outside its owner.
///
/// In the owner it takes eight bytes, whatever its size. It is for what few owners have, or have for a while. There is
/// one owner, so no references are counted.
struct Apart<Value>: ~Copyable {
    private var place: UnsafeMutablePointer<Value>?

    init() {}

    init(_ value: consuming Value) { put(value) }

    deinit { place?.deinitialize(count: 1).deallocate() }

    var isEmpty: Bool { @inline(__always) get { place == nil } }

    /// The value, or nil; while it changes, others read nil, and setting it stops the program.
    var value: Value? {
        @inline(__always) get { place?.pointee }
        @inline(__always) _modify {
            var value = take()
            defer { if let value { put(value) } }
            yield &value
        }
    }

    /// The value, which must be there, changed in place.
    var present: Value {
        @inline(__always) _read { yield place!.pointee }  // Callers know that it is there.
        @inline(__always) _modify { yield &place!.pointee }  // The same.
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
        precondition(place == nil, "A value was set while it was being changed.")
        place = .allocate(capacity: 1)
        place?.initialize(to: value)
    }
}
