/// A stack of elements that can be moved out as an array.
///
/// An array would copy and destroy each element, and check that its buffer is unique.
struct Stack<Element>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>?
    private var capacity = 0
    private(set) var count = 0

    init() {}

    deinit {
        base?.deinitialize(count: count)
        base?.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    /// The elements; valid until the stack changes.
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: base, count: count) }

    /// The last element; there must be one.
    var top: Element {
        _read { yield pointer(at: count - 1).pointee }
        _modify { yield &pointer(at: count - 1).pointee }
    }

    mutating func append(_ element: consuming Element) {
        reserve(1)
        pointer(at: count).initialize(to: element)
        count += 1
    }

    mutating func append(copying elements: UnsafeBufferPointer<Element>) {
        guard let start = elements.baseAddress, !elements.isEmpty else { return }
        reserve(elements.count)
        pointer(at: count).initialize(from: start, count: elements.count)
        count += elements.count
    }

    mutating func removeLast() -> Element {
        precondition(count > 0, "the stack is empty")
        count -= 1
        return pointer(at: count).move()
    }

    /// Removes all elements and keeps the memory.
    mutating func clear() {
        base?.deinitialize(count: count)
        count = 0
    }

    /// Removes the elements from a position to the top and returns them as an array of exactly that size.
    mutating func removeAll(from position: Int) -> [Element] {
        precondition(position <= count, "the position is above the top")
        guard position < count else { return [] }
        let removed = count - position
        count = position
        return Array(unsafeUninitializedCapacity: removed) { buffer, initialized in
            buffer.baseAddress!.moveInitialize(from: pointer(at: position), count: removed)  // Neither is empty.
            initialized = removed
        }
    }

    private func pointer(at position: Int) -> UnsafeMutablePointer<Element> { base! + position }  // There are elements.

    private mutating func reserve(_ added: Int) {
        guard count + added > capacity else { return }
        // Starts with 512 bytes, which is enough for most JSON texts.
        let grown = max(count + added, 2 * capacity, 512 / MemoryLayout<Element>.stride)
        let new = UnsafeMutablePointer<Element>.allocate(capacity: grown)
        if let base {
            new.moveInitialize(from: base, count: count)
            base.deallocate()
        }
        (base, capacity) = (new, grown)
    }
}

extension Stack<UInt8> {
    /// Appends the first `added` bytes of a little-endian word.
    mutating func append(_ word: UInt64, count added: Int) {
        reserve(8)
        UnsafeMutableRawPointer(pointer(at: count)).storeBytes(of: word.littleEndian, as: UInt64.self)
        count += added
    }
}
