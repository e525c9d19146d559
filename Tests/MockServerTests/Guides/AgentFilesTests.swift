import Foundation
import JSON
import TestSupport
import Testing

@testable import MockServer

/// Checks the skill and the plug-ins' manifests against their published specifications.
@Suite("Files for coding agents") struct AgentFilesTests {
    static func object(_ path: String) throws -> JSONObject {
        try #require(try JSON.parse(Array(textOfPackage(path).utf8)).object, "\(path)")
    }

    static let manifests = ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"]

    @Test("The plug-in manifests agree and contain the program's version", arguments: manifests)
    func agree(path: String) throws {
        let (portable, manifest) = (try Self.object("plugin.json"), try Self.object(path))
        for key in ["name", "version", "description", "author", "license", "keywords"] {
            #expect(manifest[key] != nil && manifest[key] == portable[key], "\(path): \(key)")
        }
        #expect(manifest["version"]?.string == Version.current)
        // Paths begin with "./" (Claude Code, Codex), and exist.
        for key in ["skills", "mcpServers"] {
            guard let target = manifest[key]?.string else { continue }
            #expect(target.hasPrefix("./"))
            #expect(FileManager.default.fileExists(atPath: URL.packageRoot.appending(path: target).path), "\(target)")
        }
    }

    @Test("The marketplace lists the plug-in at the repository's root")
    func marketplace() throws {
        let marketplace = try Self.object(".claude-plugin/marketplace.json")
        let (plugins, portable) = (try #require(marketplace["plugins"]?.array), try Self.object("plugin.json"))
        #expect(
            marketplace["name"]?.string == "fitiq-mock" && marketplace["owner"]?["name"] == portable["author"]?["name"])
        #expect(plugins.count == 1 && plugins[0]["source"] == "./")
        for key in ["name", "version", "description"] { #expect(plugins[0][key] == portable[key], "\(key)") }
    }

    /// Agent Plugins 1.0.0 allows no other members in the manifest and the MCP configuration.
    @Test("plugin.json and mcp.json have exactly the members of Agent Plugins 1.0.0")
    func portable() throws {
        let plugin = try Self.object("plugin.json")
        let members: Set = [
            "$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords",
            "extensions",
        ]
        #expect(Set(plugin.map(\.key)).isSubset(of: members))
        #expect(plugin["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json")
        let mcp = try Self.object("mcp.json")
        #expect(Set(mcp.map(\.key)) == ["$schema", "mcpServers"])
        #expect(mcp["$schema"] == "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json")
        let server = try #require(mcp["mcpServers"]?["fitiq-mock"]?.object)
        #expect(Set(server.map(\.key)) == ["type", "command", "args"])
        #expect(server["type"] == "stdio" && server["command"] == "fitiq-mock" && server["args"] == ["mcp"])
    }

    /// According to https://agentskills.io/specification, the name is the folder's and consists of lower-case letters,
    /// digits and hyphens; the description has up to 1,024 characters, and compatibility up to 500.
    @Test("The skill's front matter has the members that Agent Skills requires")
    func skill() throws {
        let text = try textOfPackage("skills/fitiq-mock/SKILL.md")
        let parts = text.split(separator: "---\n", maxSplits: 2, omittingEmptySubsequences: false)
        try #require(parts.count == 3 && parts[0].isEmpty)
        var fields: [String: String] = [:]
        var key = ""
        for line in parts[1].split(separator: "\n") {
            if line.hasPrefix("  ") {
                let words = [fields[key], line.trimmingCharacters(in: .whitespaces)].compactMap(\.self)
                fields[key] = words.filter { !$0.isEmpty }.joined(separator: " ")
            } else {
                let colon = try #require(line.firstIndex(of: ":"))
                key = String(line[..<colon])
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                fields[key] = value == ">-" ? "" : value
            }
        }
        #expect(Set(fields.keys) == ["name", "description", "license", "compatibility"])
        #expect(fields["name"] == "fitiq-mock")
        let description = try #require(fields["description"])
        #expect(description.contains("Use it") && (1...1024).contains(description.count))
        #expect((1...500).contains(fields["compatibility"]?.count ?? 0))
        #expect(text.matches(of: #/\n## [1-9]\./#).count == 5)
    }
}
