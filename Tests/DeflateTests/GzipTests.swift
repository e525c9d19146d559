import Deflate
import TestSupport
import Testing

@Suite("Bodies with gzip")
struct GzipTests {
    static let text = Array(String(repeating: "{\"content\":\"Müsli\"}", count: 4000).utf8)

    @Test("A deflated body inflates to the original up to the size limit")
    func pairs() throws {
        for body in [[], [7], Self.text, Self.text + MessageDeflaterTests.messages(seed: 3).flatMap { $0 }] {
            let coded = Gzip.deflate(body)
            #expect(coded.starts(with: [0x1F, 0x8B, 8]) && coded == Gzip.deflate(body))
            #expect(try Gzip.inflate(coded, limit: body.count) == body)
            if !body.isEmpty {
                #expect(throws: MessageInflater.Mistake.tooLarge) { try Gzip.inflate(coded, limit: body.count - 1) }
            }
            #expect(try Gzip.inflate(coded + coded, limit: 2 * body.count) == body + body)
        }
    }

    @Test("A zlib stream inflates only as zlib, and a gzip stream inflates only as gzip")
    func zlib() throws {
        for body in [[], [7], Self.text] {
            let coded = Gzip.deflate(body, as: .zlib)
            #expect(try Gzip.inflate(coded, as: .zlib, limit: body.count) == body)
            #expect(ZlibFormat.zlib.begins(coded) && !ZlibFormat.gzip.begins(coded))
            #expect(throws: MessageInflater.Mistake.corrupt) { try Gzip.inflate(coded, limit: .max) }
            #expect(throws: MessageInflater.Mistake.corrupt) {
                try Gzip.inflate(Gzip.deflate(body), as: .zlib, limit: .max)
            }
        }
        #expect(!ZlibFormat.zlib.begins(Gzip.deflate([7])) && !ZlibFormat.zlib.begins([0x78]))
        #expect(ZlibFormat.nothing.begins([]))
    }

    @Test("Gzip reports bombs, corrupt data and truncated data as different errors")
    func damage() throws {
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 1 << 20)
        #expect(throws: MessageInflater.Mistake.tooLarge) { try Gzip.inflate(bomb, limit: 1 << 20) }
        var coded = Gzip.deflate(Self.text)
        #expect(throws: MessageInflater.Mistake.unfinished) { try Gzip.inflate(Array(coded.dropLast()), limit: .max) }
        #expect(throws: MessageInflater.Mistake.corrupt) { try Gzip.inflate(coded + [1, 2, 3, 4, 5], limit: .max) }
        coded[coded.count - 1] ^= 0xFF
        #expect(throws: MessageInflater.Mistake.corrupt) { try Gzip.inflate(coded, limit: .max) }
        #expect(throws: MessageInflater.Mistake.self) { try Gzip.inflate([], limit: 10) }
    }
}
