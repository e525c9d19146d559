import Testing
import WebSocket

/// Frames written in the slow, obvious way, so that tests do not depend on the encoder under test.
enum Wire {
    /// The first key of a client whose seed is 0: the upper half of SplitMix64's first output, e220a8397b1dcdaf.
    static let firstKey: [UInt8] = [0xE2, 0x20, 0xA8, 0x39]
    /// The second key of a client whose seed is 0: the upper half of 6e789e6aa1b965f4.
    static let secondKey: [UInt8] = [0x6E, 0x78, 0x9E, 0x6A]
    /// The key in the examples in RFC 6455 §5.7.
    static let sampleKey: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    static func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, rsv: UInt8 = 0, mask: [UInt8]? = nil
    ) -> [UInt8] {
        var out: [UInt8] = [(fin ? 0x80 : 0) | rsv << 4 | opcode]
        let bit: UInt8 = mask == nil ? 0 : 0x80
        if payload.count < 126 {
            out.append(bit | UInt8(payload.count))
        } else if payload.count < 65536 {
            out += [bit | 126, UInt8(payload.count / 256), UInt8(payload.count % 256)]
        } else {
            out.append(bit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { out.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        guard let mask else { return out + payload }
        return out + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    /// A frame as a peer with this role sends it.
    static func fromPeer(
        of role: Role, _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, rsv: UInt8 = 0
    ) -> [UInt8] {
        frame(opcode, payload, fin: fin, rsv: rsv, mask: role == .server ? sampleKey : nil)
    }

    /// The first frame that a side with this role sends, with seed 0.
    static func first(from role: Role, _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true) -> [UInt8] {
        frame(opcode, payload, fin: fin, mask: role == .client ? firstKey : nil)
    }

    /// The second frame that a side with this role sends, with seed 0.
    static func second(from role: Role, _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true) -> [UInt8] {
        frame(opcode, payload, fin: fin, mask: role == .client ? secondKey : nil)
    }

    static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension Role: CustomTestStringConvertible {
    /// The role's name, which starts a test's name.
    public var testDescription: String { self == .client ? "client" : "server" }
}
