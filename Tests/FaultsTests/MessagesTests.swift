import Testing

@testable import Faults

@Suite("Fault messages")
struct MessagesTests {
    static let table: KeyValuePairs<String, String> = [
        Messages.replaced(status: 503, rule: "flaky"): "A scenario answers this request with 503 (fault 'flaky').",
        Messages.replaced(status: 503, rule: String(repeating: "n", count: 100)):
            "A scenario answers this request with 503 (fault '\(String(repeating: "n", count: 100))').",
        Messages.refused(status: 503, rule: "flaky"):
            "A scenario answers this WebSocket handshake with 503 (fault 'flaky').",
        Messages.quotaExceeded(requests: 5, window: 10 * second, secondsLeft: 3, rule: "q"):
            "A scenario allows 5 requests in 10 s here (fault 'q'); try again in 3 s.",
        Messages.quotaExceeded(requests: 1, window: 1500 * millisecond, secondsLeft: 1, rule: "q"):
            "A scenario allows 1 request in 1.5 s here (fault 'q'); try again in 1 s.",
        FaultBookError.duplicateName("q").message:
            "There is already a fault named 'q'; choose another name, or remove that fault first.",
        FaultBookError.tooManyRules(limit: 1000).message: "A world can have at most 1000 faults; remove some first.",
        FaultBookError.longName(String(repeating: "é", count: 51)).message:
            "The fault's name '\(String(repeating: "é", count: 24))…' has 102 bytes; at most 100 are allowed.",
        FaultBookError.emptyName.message: "The fault has no name; set a name of 1 to 100 bytes.",
        FaultBookError.unknownStatus("6000").message:
            "'Prefer' asks for the code '6000'; the code must be from 200 to 599, as in 'Prefer: code=429'.",
        FaultBookError.unknownName("q", known: []).message:
            "'X-Fake-Fault' asks for the fault 'q', but this world has no faults for REST requests: add one to the "
            + "scenario, or through the admin API.",
        FaultBookError.unknownName("q", known: (1...20).map { "a\($0)" }).message:
            "'X-Fake-Fault' asks for the fault 'q', but this world has no such fault for REST requests; the faults are "
            + "\((1...20).map { "a\($0)" }.joined(separator: ", ")).",
        FaultBookError.unknownName("q", known: (1...21).map { "a\($0)" }).message:
            "'X-Fake-Fault' asks for the fault 'q', but this world has no such fault for REST requests; the faults are "
            + "\((1...20).map { "a\($0)" }.joined(separator: ", ")) and 1 more.",
    ]

    @Test("Each message is a complete sentence", arguments: table)
    func sentences(message: String, expected: String) { #expect(message == expected) }
}
