import FitIQAPI
import Foundation
import TestSupport
import Testing

@testable import MockServer

@Suite("Embedded descriptions") struct APIDescriptionTests {
    static let directory = URL.packageRoot.appending(path: "openapi")

    static func file(_ description: APIDescription, _ mode: GuideMode) -> URL {
        let guide = directory.appending(path: "guides/\(mode.rawValue)")
        return switch description {
        case .openAPI: (mode == .union ? directory : guide).appending(path: "openapi.yaml")
        case .asyncAPI: (mode == .union ? directory : guide).appending(path: "asyncapi.yaml")
        case .documentation: guide.appending(path: "docs.html")
        }
    }

    private static func names(in folder: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: folder).path))
    }

    private static func text(_ description: APIDescription, _ mode: GuideMode) -> String {
        String(decoding: description.bytes(for: mode), as: UTF8.self)
    }

    @Test(
        "Each embedded description equals its file byte for byte", arguments: APIDescription.allCases,
        GuideMode.allCases)
    func equalsFile(_ description: APIDescription, _ mode: GuideMode) throws {
        let file = try Data(contentsOf: Self.file(description, mode))
        #expect(Data(description.bytes(for: mode)) == file && file.last == UInt8(ascii: "\n"))
        #expect(URL.packageRoot.appendingPathComponent(description.path(for: mode)) == Self.file(description, mode))
    }

    @Test("The embedded admin description equals its file byte for byte")
    func equalsAdminFile() throws {
        let file = try Data(contentsOf: Self.directory.appending(path: "admin.yaml"))
        #expect(Data(APIDescription.adminOpenAPIBytes) == file)
    }

    @Test("Each mode has a folder of descriptions")
    func modes() throws {
        #expect(try Self.names(in: "guides") == Set(GuideMode.allCases.map(\.rawValue)))
        #expect(GuideMode.allCases.first == .union && GuideMode.allCases.count == 6)
    }

    @Test("Each guide has two overlays, and union has a folder of overlays")
    func overlays() throws {
        let expected = GuideMode.guides.flatMap { ["\($0.rawValue).openapi.yaml", "\($0.rawValue).asyncapi.yaml"] }
        #expect(try Self.names(in: "overlays") == Set(expected + ["union"]))
        let topics = try Self.names(in: "overlays/union")
        #expect(topics.contains("common.openapi.yaml"))
        #expect(topics.allSatisfy { $0.hasSuffix(".openapi.yaml") || $0.hasSuffix(".asyncapi.yaml") })
    }

    @Test("Only the union's description names the origin of operations", arguments: GuideMode.allCases)
    func origins(_ mode: GuideMode) {
        for description in [APIDescription.openAPI, .documentation] {
            let text = Self.text(description, mode)
            #expect(text.contains("From the guides") == (mode == .union))
            #expect(mode == .union || !text.contains("From the apps"))
        }
    }

    @Test("Each guide's description names the guide", arguments: APIDescription.allCases, GuideMode.guides)
    func namesMode(_ description: APIDescription, _ mode: GuideMode) {
        #expect(Self.text(description, mode).contains("(guide \(mode.rawValue))"))
    }

    @Test("Each description has its media type")
    func mediaTypes() {
        let expected = ["application/yaml", "application/yaml", "text/html; charset=utf-8"]
        #expect(APIDescription.allCases.map(\.mediaType) == expected)
    }

    static let pages = ["/openapi.yaml", "/asyncapi.yaml", "/__admin/openapi.yaml", "/docs/deviations"]

    @Test("The documentation page loads nothing from other hosts", arguments: GuideMode.allCases)
    func pageIsSelfContained(_ mode: GuideMode) {
        let text = Self.text(.documentation, mode)
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
