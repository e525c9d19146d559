import ArgumentParser
import TLS

struct Certificate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Tell where the CA of 'serve --tls' is, and how clients come to trust it.",
        discussion: "The CA is made on first use, in FITIQ_MOCK_DATA_DIR or the user's own data folder.")

    @Flag(help: "Print only the path of the CA's certificate, for scripts.")
    var ca = false

    @Flag(help: "Print only the CA's certificate, as PEM.")
    var pem = false

    func validate() throws {
        if ca && pem { throw ValidationError(Messages.eitherPathOrPEM) }
    }

    func run() throws {
        let files = try CertificateFiles()
        let current = try files.current(at: FitIQMock.now)
        if ca {
            print(current.caPath)
        } else if pem {
            print(String(decoding: current.ca, as: UTF8.self), terminator: "")
        } else {
            let facts = (
                ca: try CertificateFacts.read(pem: current.ca),
                server: try CertificateFacts.read(pem: current.certificate)
            )
            print(
                Messages.certificates(
                    ca: (current.caPath, facts.ca[0]), server: (files.serverPath, facts.server[0])), terminator: "")
        }
    }
}
