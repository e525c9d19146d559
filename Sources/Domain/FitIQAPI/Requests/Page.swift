/// A part of a list: which page, and how long pages are.
public struct Page: Equatable, Sendable {
    /// From 1.
    public var number: Int
    /// From 1.
    public var size: Int

    /// Makes a page.
    public init(number: Int, size: Int) {
        self.number = number
        self.size = size
    }

    /// The positions of the page's items in a list; empty past its end.
    public func range(of total: Int) -> Range<Int> {
        let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: size)
        guard !overflow, offset < total else { return total..<total }
        return offset..<(offset + min(size, total - offset))
    }

    /// How many pages the whole list has.
    public func count(of total: Int) -> Int {
        total / size + (total % size == 0 ? 0 : 1)
    }
}
