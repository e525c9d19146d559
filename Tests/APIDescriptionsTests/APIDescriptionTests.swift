import Foundation
import Testing

@testable import APIDescriptions

@Suite("Embedded descriptions")
struct APIDescriptionTests {
    static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("openapi")

    /// The file that a text was made from.
    static func file(_ description: APIDescription, _ mode: String) -> URL {
        let guide = directory.appendingPathComponent("guides").appendingPathComponent(mode)
        return switch description {
        case .openAPI: (mode == "union" ? directory : guide).appendingPathComponent("openapi.yaml")
        case .asyncAPI: (mode == "union" ? directory : guide).appendingPathComponent("asyncapi.yaml")
        case .documentation: guide.appendingPathComponent("docs.html")
        }
    }

    @Test(
        "Each text is its file, byte for byte; scripts/describe makes it so",
        arguments: APIDescription.allCases, APIDescription.modeNames)
    func equalsFile(_ description: APIDescription, _ mode: String) throws {
        let file = try Data(contentsOf: Self.file(description, mode))
        let text = description.text(for: mode)
        #expect(text.withUTF8Buffer { Data($0) } == file, "Run scripts/describe.")
        #expect(Data(description.bytes(for: mode)) == file)
        #expect(file.last == UInt8(ascii: "\n"))
    }

    @Test("The modes are union and the guides that have a folder")
    func modes() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.directory.appendingPathComponent("guides").path)
        #expect(Set(APIDescription.modeNames) == Set(folders))
        #expect(APIDescription.modeNames.first == "union")
        #expect(APIDescription.modeNames.count == 6)
    }

    @Test("Every overlay belongs to a mode, and every mode but union has two")
    func overlays() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.directory.appendingPathComponent("overlays").path)
        let expected = APIDescription.modeNames.dropFirst().flatMap { ["\($0).openapi.yaml", "\($0).asyncapi.yaml"] }
        #expect(Set(names) == Set(expected))
    }

    @Test("A mode that there is not is a mistake of the caller's")
    func unknownMode() async {
        await #expect(processExitsWith: .failure) { _ = APIDescription.openAPI.text(for: "Union") }
    }

    @Test("Each mode's text names the mode", arguments: APIDescription.allCases, APIDescription.modeNames.dropFirst())
    func namesMode(_ description: APIDescription, _ mode: String) {
        let text = String(decoding: description.bytes(for: mode), as: UTF8.self)
        #expect(text.contains("(guide \(mode))"))
    }

    @Test(
        "Media types",
        arguments: zip(
            APIDescription.allCases, ["application/yaml", "application/yaml", "text/html; charset=utf-8"]))
    func mediaTypes(_ description: APIDescription, _ expected: String) {
        #expect(description.mediaType == expected)
    }

    @Test("The page needs nothing from elsewhere", arguments: APIDescription.modeNames)
    func pageIsSelfContained(_ mode: String) {
        let text = String(decoding: APIDescription.documentation.bytes(for: mode), as: UTF8.self)
        for fetched in ["<script", "<link", "<img", "<iframe", "src=", "@import", "url("] {
            #expect(!text.contains(fetched), "\(fetched)")
        }
        let targets = text.matches(of: /href="([^"]*)"/).map { String($0.output.1) }
        #expect(!targets.isEmpty)
        for target in Set(targets) where !["/openapi.yaml", "/asyncapi.yaml"].contains(target) {
            #expect(target.hasPrefix("#") && text.contains("id=\"\(target.dropFirst())\""), "\(target)")
        }
        let anchors = text.matches(of: /id="([^"]*)"/).map { String($0.output.1) }
        #expect(Set(anchors).count == anchors.count)
    }
}
