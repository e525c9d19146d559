import Foundation
import TestSupport
import Testing

@Suite("The testing library in the package")
struct ManifestTests {
    @Test("The library depends on no other target or package")
    func dependencies() throws {
        let manifest = try textOfPackage("Package.swift")
        #expect(manifest.contains(#".target(name: "FitIQMockTesting", path: "Sources/Clients/FitIQMockTesting"),"#))
        for name in ["FitIQMockSwiftTesting", "FitIQMockXCTest"] {
            #expect(manifest.contains(#"name: "\#(name)", dependencies: ["FitIQMockTesting"],"#), "\(name)")
        }
    }

    @Test("The library imports only Foundation")
    func imports() throws {
        let allowed: [(folder: String, modules: Set<String>)] = [
            ("FitIQMockTesting", ["Foundation", "FoundationNetworking"]),
            ("FitIQMockSwiftTesting", ["FitIQMockTesting", "Foundation", "Testing"]),
            ("FitIQMockXCTest", ["FitIQMockTesting", "Foundation", "XCTest", "XCUIAutomation"]),
        ]
        for (folder, modules) in allowed {
            let place = URL.packageRoot.appending(path: "Sources/Clients/\(folder)")
            let files = try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "swift" }
            let found = try files.flatMap { file in
                try String(contentsOf: file, encoding: .utf8).matches(of: /import (\w+)\n/).map { String($0.1) }
            }
            #expect(found.contains("Foundation") && modules.isSuperset(of: found), "\(found)")
        }
    }
}
