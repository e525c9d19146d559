import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import MockServer

@Suite("Embedded descriptions") struct APIDescriptionTests {
    static let directory = URL.packageRoot.appending(path: "openapi")

    /// The file that contains a description.
    static func file(_ description: APIDescription, _ mode: GuideMode) -> URL {
        let guide = directory.appendingPathComponent("guides").appendingPathComponent(mode.rawValue)
        return switch description {
        case .openAPI: (mode == .union ? directory : guide).appendingPathComponent("openapi.yaml")
        case .asyncAPI: (mode == .union ? directory : guide).appendingPathComponent("asyncapi.yaml")
        case .documentation: guide.appendingPathComponent("docs.html")
        }
    }

    @Test(
        "Each embedded description equals its file byte for byte", arguments: APIDescription.allCases,
        GuideMode.allCases)
    func equalsFile(_ description: APIDescription, _ mode: GuideMode) throws {
        let file = try Data(contentsOf: Self.file(description, mode))
        #expect(Data(description.bytes(for: mode)) == file)
        #expect(file.last == UInt8(ascii: "\n"))
        #expect(URL.packageRoot.appendingPathComponent(description.path(for: mode)) == Self.file(description, mode))
    }

    @Test("The embedded admin description equals its file byte for byte")
    func equalsAdminFile() throws {
        let file = try Data(contentsOf: Self.directory.appendingPathComponent("admin.yaml"))
        #expect(Data(APIDescription.adminOpenAPIBytes) == file)
    }

    @Test("Each mode has a folder of descriptions")
    func modes() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.directory.appendingPathComponent("guides").path)
        #expect(Set(GuideMode.allCases.map(\.rawValue)) == Set(folders))
        #expect(GuideMode.allCases.first == .union)
        #expect(GuideMode.allCases.count == 6)
    }

    @Test("Each guide has two overlays, and union has a folder of overlays")
    func overlays() throws {
        let folder = Self.directory.appendingPathComponent("overlays")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let expected = GuideMode.guides.flatMap { ["\($0.rawValue).openapi.yaml", "\($0.rawValue).asyncapi.yaml"] }
        #expect(Set(names) == Set(expected + ["union"]))
        let topics = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("union").path)
        #expect(topics.contains("common.openapi.yaml"))
        #expect(topics.allSatisfy { $0.hasSuffix(".openapi.yaml") || $0.hasSuffix(".asyncapi.yaml") })
    }

    @Test("Only the union's description names the origin of operations", arguments: GuideMode.allCases)
    func origins(_ mode: GuideMode) {
        for description in [APIDescription.openAPI, .documentation] {
            let text = String(decoding: description.bytes(for: mode), as: UTF8.self)
            #expect(text.contains("From the guides") == (mode == .union))
            #expect(mode == .union || !text.contains("From the apps"))
        }
    }

    @Test("Each guide's description names the guide", arguments: APIDescription.allCases, GuideMode.guides)
    func namesMode(_ description: APIDescription, _ mode: GuideMode) {
        let text = String(decoding: description.bytes(for: mode), as: UTF8.self)
        #expect(text.contains("(guide \(mode.rawValue))"))
    }

    @Test(
        "Each description has its media type",
        arguments: zip(
            APIDescription.allCases, ["application/yaml", "application/yaml", "text/html; charset=utf-8"]))
    func mediaTypes(_ description: APIDescription, _ expected: String) {
        #expect(description.mediaType == expected)
    }

    static let pages = ["/openapi.yaml", "/asyncapi.yaml", "/__admin/openapi.yaml", "/docs/deviations"]

    @Test("The documentation page loads nothing from other hosts", arguments: GuideMode.allCases)
    func pageIsSelfContained(_ mode: GuideMode) {
        let text = String(decoding: APIDescription.documentation.bytes(for: mode), as: UTF8.self)
        for fetched in ["<script", "<link", "<img", "<iframe", "src=", "@import", "url("] {
            #expect(!text.contains(fetched), "\(fetched)")
        }
        let targets = text.matches(of: /href="([^"]*)"/).map { String($0.output.1) }
        #expect(!targets.isEmpty)
        for target in Set(targets) where !Self.pages.contains(target) {
            #expect(target.hasPrefix("#") && text.contains("id=\"\(target.dropFirst())\""), "\(target)")
        }
        let anchors = text.matches(of: /id="([^"]*)"/).map { String($0.output.1) }
        #expect(Set(anchors).count == anchors.count)
    }
}
