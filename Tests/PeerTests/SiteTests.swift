import Foundation
import TestSupport
import Testing

extension BrowserPeers {
    /// The documentation site, as `scripts/site` creates it.
    @Suite("The site")
    struct SiteTests {
        private static func made(of root: URL, in folder: ScratchFolder, _ name: String) async throws -> Command {
            try await Command(root.appending(path: "scripts/site"), [folder[name].path])
        }

        @Test(
            "Pages load nothing from other hosts, are accessible at every width and can be searched",
            .enabled(if: Programs.chromium != nil, Programs.noChromium))
        func reading() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            for name in ["site", "again"] {
                let made = try await Self.made(of: .packageRoot, in: folder, name)
                #expect(made.status == 0, "\(made.transcript)")
            }
            let difference = try await Command(
                try Programs.named("diff"), ["-r", folder["site"].path, folder["again"].path])
            #expect(difference.status == 0, "Two sites of the same sources differ: \(difference.output)")
            let read = try await Command.peer(
                "with_site", [try #require(Programs.chromium), folder["site"].path],
                with: try Programs.recorder("python3"))
            #expect(read.status == 0, "\(read.transcript)")
        }

        @Test("The site script reports a broken link or an external image and writes nothing")
        func broken() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let files = FileManager.default
            for name in ["docs", "root/docs"] {
                try files.createDirectory(at: folder[name], withIntermediateDirectories: true)
            }
            try Data("# A\n\n[b](docs/README.md#there) [c](gone.md)\n\n<img src=\"https://e.example/i.png\">\n".utf8)
                .write(to: folder["root/README.md"])
            try Data("# B\n".utf8).write(to: folder["root/docs/README.md"])
            try Data("# C\n\n- [b](docs/README.md)\n- [d](docs/d.md): gone\n".utf8).write(to: folder["root/llms.txt"])
            // The script's Python environment exists once the script has run.
            _ = try await Self.made(of: .packageRoot, in: folder, "site")
            let made = try await Command(
                URL.packageRoot.appending(path: ".build/site-python/bin/python3"),
                ["-B", URL.packageRoot.appending(path: "site").path, folder["root"].path, folder["out"].path])
            #expect(made.status == 1)
            for problem in [
                "README.md: gone.md leads nowhere", "llms.txt: docs/d.md leads nowhere",
                "README.md: docs/README.md has no heading #there",
                "README.md: https://e.example/i.png is fetched from elsewhere",
            ] {
                #expect(made.transcript.contains("site: \(problem)"), "\(made.transcript)")
            }
            #expect(!files.fileExists(atPath: folder["out"].path))
        }
    }
}
