import HTTP1
import HTTPTypes
import Testing

@testable import Proxy

@Suite("Hop-by-hop fields")
struct HopByHopTests {
    @Test("Fields named in Connection are hop-by-hop fields, ignoring only ASCII case")
    func listed() {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .connection, value: "close, X-Mine ,\tX-Two"))
        fields.append(HTTPField(name: .connection, value: "x-\u{212A}ey"))
        let hopByHop = HopByHop(FieldBlock(fields))
        #expect(["x-mine", "x-two", "upgrade", "te"].allSatisfy(hopByHop.contains))
        #expect(!["x-key", "x", "x-min", "accept"].contains(where: hopByHop.contains))
        #expect(!HopByHop(FieldBlock()).contains("x-mine"))
    }
}
