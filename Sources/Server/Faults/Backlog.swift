/// A queue that removes in batches; otherwise an answer sent byte by byte would take quadratic time.
public struct Backlog<Element> {
    @usableFromInline var elements: [Element] = []
    /// How many of them were removed.
    @usableFromInline var removed = 0

    @inlinable public init() {}

    @inlinable public var isEmpty: Bool { removed == elements.count }
    @inlinable public var first: Element? { isEmpty ? nil : elements[removed] }
    @inlinable public var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func removeFirst() {
        removed += 1
        if isEmpty {
            _ = takeAll()
        } else if removed > 1024, removed > elements.count / 2 {
            elements.removeFirst(removed)
            removed = 0
        }
    }

    @inlinable public mutating func takeAll() -> ArraySlice<Element> {
        defer { (elements, removed) = ([], 0) }
        return elements[removed...]
    }

    @inlinable public mutating func update(_ change: (inout Element) -> Void) {
        for index in elements.indices { change(&elements[index]) }
    }
}

extension Backlog: Sendable where Element: Sendable {}
