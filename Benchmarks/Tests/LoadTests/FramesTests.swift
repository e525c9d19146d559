import Testing

@testable import Load

@Suite("Frames of the server")
struct FramesTests {
    @Test("a frame is incomplete until its last byte", arguments: [0, 1, 125, 126, 300, 65_535])
    func splitAtEveryByte(length: Int) {
        let bytes = frame(length: length)
        // Every split of the short ones; of the long ones the first bytes and the last.
        let splits = Array(0..<min(bytes.count, 400)) + [bytes.count - 1]
        for split in splits {
            #expect(scan(Array(bytes[..<split])) == .incomplete, "after \(split) of \(bytes.count) bytes")
        }
        let header = bytes.count - length
        #expect(scan(bytes) == .frame(ServerFrame(opcode: 1, payload: header..<bytes.count)))
    }

    @Test("the scanner finds the next frame behind the first")
    func twoFrames() {
        let bytes = frame(length: 3) + frame(length: 200)
        #expect(scan(bytes, from: 5) == .frame(ServerFrame(opcode: 1, payload: 9..<209)))
    }

    @Test(
        "a frame that a server may not send or the generator does not accept is a violation",
        arguments: [
            ([0x01, 0x00], "a frame with first byte 1: fragmented or extended"),
            ([0xC1, 0x00], "a frame with first byte 193: fragmented or extended"),
            ([0x81, 0x80], "a masked frame"),
            ([0x81, 0x7F], "a frame over 64 KiB"),
        ] as [([UInt8], String)])
    func violations(bytes: [UInt8], what: String) {
        #expect(scan(bytes) == .violation(what))
    }

    // RFC 6455, section 5.7: "Hello" under the mask 37 fa 21 3d.
    @Test("a client's frame is the example of the RFC")
    func masked() {
        let example: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(clientFrame(opcode: 1, Array("Hello".utf8)) == example)
    }

    @Test("a client's frame over 125 bytes has a two-byte length")
    func maskedLong() {
        let frame = clientFrame(opcode: 2, [UInt8](repeating: 0, count: 300))
        #expect(Array(frame.prefix(8)) == [0x82, 0xFE, 0x01, 0x2C, 0x37, 0xFA, 0x21, 0x3D])
        #expect(frame.count == 308)
    }

    private func frame(length: Int) -> [UInt8] {
        let size: [UInt8] = length < 126 ? [UInt8(length)] : [126, UInt8(length >> 8), UInt8(length & 255)]
        return [0x81] + size + [UInt8](repeating: 0x61, count: length)
    }

    private func scan(_ bytes: [UInt8], from start: Int = 0) -> FrameScan {
        bytes.withUnsafeBytes { scanFrame($0, from: start) }
    }
}
