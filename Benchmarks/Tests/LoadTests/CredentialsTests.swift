import FitIQAPI
import Load
import Testing

@Suite("Credentials")
struct CredentialsTests {
    @Test("the server accepts a token only with the secret that signed it")
    func token() throws {
        let credentials = Credentials(user: "bench-7", secret: "s", apiKey: "k")
        #expect(try AccessToken.verify(credentials.token, secret: Array("s".utf8)).subject == "bench-7")
        let error = #expect(throws: (any Error).self) {
            try AccessToken.verify(credentials.token, secret: Array("t".utf8))
        }
        #expect(error.map { "\($0)" }?.hasPrefix("its signature does not match") == true)
    }

    @Test("the fields are whole lines of a head")
    func fields() {
        let credentials = Credentials(user: "bench-7", secret: "s", apiKey: "k")
        #expect(credentials.fields == "Authorization: Bearer \(credentials.token)\r\nX-API-Key: k\r\n")
    }
}
