import WebSocket

/// A text message on its way into frames, and what is to be wrong with them.
struct MessageDraft: Sendable {
    var text: [UInt8]
    var opcode = Opcode.text
    /// The masking key of every fragment; nil for none.
    var maskKey: UInt32?
    /// RSV1 is 4, RSV2 2, RSV3 1; they stand in the first fragment.
    var reservedBits: UInt8 = 0
    /// Where fragments begin in the text, beside the first one.
    var fragments: [Int] = []
    var copies = 1
    var waits: [(offset: Int, time: Int64)] = []
    var dribbles: [(offset: Int, bytes: Int, time: Int64)] = []
    /// Where the frame is cut, and what happens there.
    var ending: (offset: Int, action: WireAction)?

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The frames, and what happens between their bytes.
    func encoded() -> Transmission {
        var bytes: [UInt8] = []
        for _ in 0..<copies { appendFrames(to: &bytes) }
        var wire = WireFaults(count: bytes.count)
        for wait in waits { wire.wait(wait.time, at: min(wait.offset, bytes.count)) }
        for dribble in dribbles {
            let start = min(dribble.offset, bytes.count)
            wire.dribble(bytes: dribble.bytes, every: dribble.time, in: start..<bytes.count)
        }
        if let ending { wire.end(ending.action, at: ending.offset) }
        return wire.transmission(of: bytes)
    }

    private func appendFrames(to out: inout [UInt8]) {
        let starts = Set(fragments.filter { $0 > 0 && $0 < text.count }).sorted().prefix(FaultLimits.fragments - 1)
        var begin = 0
        for end in starts + [text.count] {
            var firstByte: UInt8 = end == text.count ? 0x80 : 0
            // The first one may be empty together with the text.
            if begin == 0 { firstByte |= opcode.rawValue | reservedBits << 4 }
            FrameEncoder.appendRaw(firstByte: firstByte, text[begin..<end], maskKey: maskKey, into: &out)
            begin = end
        }
    }

    /// Takes another message into the same frame, behind a newline, with all that is wrong with it.
    mutating func join(_ next: MessageDraft) {
        text.append(0x0A)
        fragments += next.fragments.filter { $0 > 0 && $0 < next.text.count }.map { $0 + text.count }
        text += next.text
        if next.opcode == .binary { opcode = .binary }
        maskKey = maskKey ?? next.maskKey
        reservedBits |= next.reservedBits
        copies = max(copies, next.copies)
        // What was meant for a place in a frame of its own now holds for the whole.
        waits += next.waits.map { (0, $0.time) }
        dribbles += next.dribbles.map { (0, $0.bytes, $0.time) }
    }
}
