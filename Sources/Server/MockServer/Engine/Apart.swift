/// An optional value on the heap, outside its owner.
///
/// The value takes eight bytes in its owner, regardless of the value's size. Use it for a value that is rare or
/// temporary. The value has one owner, so it needs no reference counting.
struct Apart<Value>: ~Copyable {
    private var place: UnsafeMutablePointer<Value>?

    init() {}

    init(_ value: consuming Value) { put(value) }

    deinit { place?.deinitialize(count: 1).deallocate() }

    var isEmpty: Bool { @inline(__always) get { place == nil } }

    /// The value, or nil.
    ///
    /// During an in-place change, reads return nil and writes trap.
    var value: Value? {
        @inline(__always) get { place?.pointee }
        @inline(__always) _modify {
            var value = take()
            defer { if let value { put(value) } }
            yield &value
        }
    }

    /// Accesses the value in place; traps if it is nil.
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
        precondition(place == nil, "A value must not be set while it is being changed.")
        place = .allocate(capacity: 1)
        place?.initialize(to: value)
    }
}
