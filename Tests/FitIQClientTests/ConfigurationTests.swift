import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("The client's configuration")
struct ConfigurationTests {
    @Test("By default, the client offers no compression and compares each answer with the stored message")
    func defaults() {
        let defaults = ClientConfiguration(credentials: Credentials(apiKey: "key"))
        var bench = CoreBench { $0.checksAnswers = defaults.checksAnswers }
        bench.open()
        #expect(bench.handshakes.map(\.offersCompression) == [false])
        bench.greet()
        bench.perform(.send(text: "One"))
        bench.frame(["type": "message_received"], CoreBench.chunk("Yes"))
        #expect(bench.requests.isEmpty)
        bench.frame(["type": "stream_complete"])
        #expect(bench.requests.map(\.target) == ["/api/v1/consultations/\(CoreBench.consultation)/messages"])
    }
}
