extension Array {
    /// The elements in order, this many at a time; `size` is above 0.
    package func pieces(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0...].prefix(size) }
    }

    /// Two pieces; either may be empty.
    package func cut(at place: Int) -> [ArraySlice<Element>] { [self[..<place], self[place...]] }
}

extension [UInt8] {
    /// A body in chunks of this many bytes, including the last chunk (RFC 9112 section 7.1).
    package func chunked(inPiecesOf size: Int) -> [UInt8] {
        pieces(of: size).flatMap { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [0x0D, 0x0A] }
            + Array("0\r\n\r\n".utf8)
    }
}

/// The bytes of a hexadecimal string; spaces are skipped.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    precondition(
        digits.count % 2 == 0 && text.allSatisfy { $0.isHexDigit || $0 == " " }, "\(text) is not pairs of digits")
    return digits.pieces(of: 2).map { UInt8($0[$0.startIndex] * 16 + $0[$0.startIndex + 1]) }
}
