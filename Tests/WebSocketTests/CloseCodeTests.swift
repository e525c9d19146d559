import Testing
import WebSocket

@Suite("RFC 6455 §7.4: close codes")
struct CloseCodeTests {
    @Test("Only registered and private codes are allowed on the wire")
    func allowedOnWire() {
        let registered: Set<UInt16> = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
        let expected = registered.union(3000...4999)
        let allowed = Set((UInt16.min...UInt16.max).filter { CloseCode(rawValue: $0).isAllowedOnWire })
        #expect(allowed == expected)
    }

    @Test(
        "Each named code has the registry's number",
        arguments: [
            (CloseCode.normalClosure, 1000), (.goingAway, 1001), (.protocolError, 1002), (.unsupportedData, 1003),
            (.noStatus, 1005), (.abnormal, 1006), (.invalidPayload, 1007), (.policyViolation, 1008),
            (.messageTooBig, 1009), (.internalError, 1011),
        ])
    func names(code: CloseCode, number: Int) {
        #expect(code.description == String(number))
    }
}
