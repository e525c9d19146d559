import Testing
import WebSocket

@Suite("RFC 6455 §5.2: writing frames")
struct FrameEncoderTests {
    /// The examples are in RFC 6455 §5.7.
    @Test("The encoder produces the RFC's examples")
    func examples() {
        #expect(FrameEncoder.serverFrame(.text, bytes("Hello")) == [0x81, 0x05] + bytes("Hello"))
        var masked: [UInt8] = []
        FrameEncoder.append(.text, bytes("Hello"), maskKey: 0x37FA_213D, into: &masked)
        #expect(masked == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
        var fragments: [UInt8] = []
        FrameEncoder.append(.text, bytes("Hel"), isFinal: false, into: &fragments)
        FrameEncoder.append(.continuation, bytes("lo"), into: &fragments)
        #expect(fragments == [0x01, 0x03] + bytes("Hel") + [0x80, 0x02] + bytes("lo"))
        #expect(FrameEncoder.serverFrame(.ping, bytes("Hello")) == [0x89, 0x05] + bytes("Hello"))
        let long = [UInt8](repeating: 0xFE, count: 65536)
        #expect(FrameEncoder.serverFrame(.binary, Array(long[..<256])) == [0x82, 0x7E, 0x01, 0x00] + long[..<256])
        #expect(FrameEncoder.serverFrame(.binary, long) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long)
    }

    @Test(
        "The encoder writes headers in the shortest form",
        arguments: [(0, 2), (1, 2), (125, 2), (126, 4), (127, 4), (65535, 4), (65536, 10)])
    func shortest(count: Int, header: Int) {
        let payload = [UInt8](repeating: 0x2A, count: count)
        #expect(FrameEncoder.headerLength(payload: count) == header)
        let frame = FrameEncoder.serverFrame(.text, payload)
        #expect(frame == Wire.frame(1, payload))
        #expect(frame.count == header + count)
        var masked = bytes("before")
        FrameEncoder.append(.binary, payload, isFinal: false, maskKey: 0x37FA_213D, into: &masked)
        #expect(masked == bytes("before") + Wire.frame(2, payload, fin: false, mask: Wire.sampleKey))
    }

    @Test("Encoding a control frame of 126 bytes traps")
    func longControlFrame() async {
        await #expect(processExitsWith: .failure) {
            _ = FrameEncoder.serverFrame(.ping, [UInt8](repeating: 0, count: 126))
        }
    }
}

extension FrameEncoder {
    /// A complete unmasked frame with FIN set.
    fileprivate static func serverFrame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        append(opcode, payload, into: &frame)
        return frame
    }
}
