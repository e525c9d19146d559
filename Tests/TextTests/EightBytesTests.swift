import Testing
import Text

@Suite("Eight bytes at a time")
struct EightBytesTests {
    @Test("The search finds a byte at every offset of every length", arguments: 0..<40)
    func first(length: Int) {
        for place in 0...length {
            var bytes = [UInt8](repeating: 0x80, count: length)
            if place < length { bytes[place] = 0x0A }
            for start in 0...length {
                let found = bytes.withUnsafeBufferPointer { $0.first(0x0A, from: start) }
                #expect(found == bytes[start...].firstIndex(of: 0x0A))
            }
            let hasNone = bytes.withUnsafeBufferPointer { $0.hasNone { $0.less(than: 0x20) | $0.equal(to: 0x7F) } }
            #expect(hasNone == (place == length))
            let others = [UInt8](repeating: 0x80, count: length)
            bytes.withUnsafeBufferPointer { bytes in
                others.withUnsafeBufferPointer { #expect(bytes.equalsInConstantTime($0) == (place == length)) }
            }
        }
    }

    @Test("The search finds nothing in an empty buffer without an address")
    func nowhere() {
        let bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        #expect(bytes.hasNone { $0.less(than: 0x20) } && bytes.first(0x0A, from: 0) == nil)
        #expect(bytes.equalsInConstantTime(bytes))
    }

    @Test("Only hexadecimal digits count as digits")
    func digits() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                var bytes = Array("12abcDEF".utf8)
                bytes[place] = byte
                let text = String(decoding: bytes, as: UTF8.self)
                let read = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self).littleEndian.hexDigits }
                #expect(read?.value == (byte.isHexDigit ? UInt64(text, radix: 16) : nil))
                if let read {
                    #expect(read.hasUpperCase)
                    let digits = withUnsafeBytes(of: read.value.hexText.littleEndian) { Array($0) }
                    #expect(String(decoding: digits, as: UTF8.self) == text.lowercased())
                }
            }
        }
    }
}
