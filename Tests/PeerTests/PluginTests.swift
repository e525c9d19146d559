import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// `swift package contract-test` in a package that gets the binary from an artifact bundle.
    @Suite("The plugin")
    struct PluginTests {
        @Test("The plugin runs the package's tests under verify in a separate build folder")
        func runs() async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let script = """
                cp -R "$1/Fixtures/ci/swift-package/." "$1/Plugins" .
                name=fitiq-mock.artifactbundle
                mkdir $name
                printf '#!/bin/sh\\nexec "%s" "$@"\\n' "$0" >$name/fitiq-mock
                chmod +x $name/fitiq-mock
                cat >$name/info.json <<JSON
                {"schemaVersion": "1.0", "artifacts": {"fitiq-mock": {"type": "executable", "version": "0.0.0",
                    "variants": [{"path": "fitiq-mock", "supportedTriples": ["$2"]}]}}}
                JSON
                run() { swift package --allow-network-connections local contract-test --scenario default "$@"; }
                run; echo "exit $?"
                run -- --filter Nothing; echo "exit $?"
                """
            let info = try await Command(Programs.named("swift"), ["-print-target-info"])
            let target = try #require(info.output.firstMatch(of: /"unversionedTriple": "([^"]+)"/)).1
            let command = try await Command.bash(script, URL.packageRoot.path, String(target), in: folder)
            let lines = command.output.split(separator: "\n")
            #expect(lines.contains { $0.contains("✓ auth/credentials-on-every-request") }, "\(command.transcript)")
            #expect(lines.filter { $0.hasPrefix("exit ") } == ["exit 0", "exit 1"], "\(command.transcript)")
            #expect(command.errors.contains("fitiq-mock verify ended with 4"), "\(command.transcript)")
        }
    }
}
