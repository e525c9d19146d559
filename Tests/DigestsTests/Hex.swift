/// The bytes that a hexadecimal text spells; spaces are skipped.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
    precondition(digits.count % 2 == 0, "odd number of hexadecimal digits in \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
