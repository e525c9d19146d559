import Foundation
import Testing

extension Peers {
    /// `record` as a process of its own, between clients and servers that nobody here wrote.
    @Suite("Record")
    struct Record {
        @Test(
            "What clients saw is in the file",
            arguments: ["foreign", "nginx", "certificates", "files", "killed", "thousand"])
        func holds(_ chapter: String) async throws {
            let script = Programs.peers.appendingPathComponent("recording.py").path
            let command = try await Command(
                try Programs.python(), [script, try Programs.fitiqMock().path, chapter],
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            if command.status != 0 {
                Attachment.record(command.transcript, named: "recording-\(chapter).txt")
                Issue.record("\(chapter) failed:\n\(command.transcript)")
            }
        }

        /// Not among the chapters: `echo`, whose 16 MiB take a debug build longer to record than the client waits.
        @Test(
            "A library tells the story through the proxy as it does without",
            arguments: ["with_websockets", "with_aiohttp"],
            [
                ["rest", "refusals", "handshakes", "chat", "bad_frames", "archiving", "deflate"],
                ["goal_chat", "goal_from_chat", "goal_rules", "meals", "meals_heard", "meals_listed", "judged"],
            ])
        func stories(_ story: String, _ chapters: [String]) async throws {
            try await RunningServer.serve("--instant") { server in
                try await through(server) { readyFile in
                    let script = Programs.peers.appendingPathComponent(story + ".py").path
                    let command = try await Command(
                        try Programs.python(), [script, readyFile, try Programs.fitiqMock().path] + chapters,
                        environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                    if command.status != 0 {
                        Issue.record("\(story) failed through the proxy:\n\(command.transcript)")
                    }
                }
            }
        }

        @Test("Plain sockets send through the proxy what no library sends")
        func sockets() async throws {
            try await RunningServer.serve("--instant") { server in
                try await through(server) { readyFile in
                    let script = Programs.peers.appendingPathComponent("with_sockets.py").path
                    let command = try await Command(
                        try Programs.python(),
                        [script, readyFile, try Programs.fitiqMock().path, "pipelining", "single_bytes"],
                        environment: ["PYTHONDONTWRITEBYTECODE": "1"])
                    if command.status != 0 { Issue.record("with_sockets failed:\n\(command.transcript)") }
                }
            }
        }

        /// Runs a proxy before a server, and gives the body a ready file of the server's that names the proxy.
        private func through(_ server: RunningServer, _ body: (String) async throws -> Void) async throws {
            let files = try ScratchDirectory()
            defer { files.remove() }
            let process = Process()
            process.executableURL = try Programs.fitiqMock()
            process.arguments = [
                "record", "--port", "0", "--upstream", server.ready.url, "--output", files["session.har"].path,
                "--ready-file", files["ready.json"].path,
            ]
            process.environment = Command.environment
            let output = Pipe()
            process.standardOutput = output
            process.standardError = try files.create("err")
            let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = {
                exit.yield($0.outcome)
                exit.finish()
            }
            try process.run()
            defer { if process.isRunning { process.terminate() } }
            // The banner is printed once the ready file is there.
            var banner = Data()
            while !String(decoding: banner, as: UTF8.self).contains("Ctrl-C") {
                let more = output.fileHandleForReading.availableData
                let errors = try files.read("err")
                try #require(!more.isEmpty, "The proxy ended before it was ready: \(errors)")
                banner += more
            }
            struct Ready: Decodable {
                let url: String
                let ws_url: String
            }
            let ready = try JSONDecoder().decode(Ready.self, from: Data(contentsOf: files["ready.json"]))
            var object =
                try JSONSerialization.jsonObject(with: Data(contentsOf: server.readyFile)) as? [String: Any] ?? [:]
            object["url"] = ready.url
            object["ws_url"] = ready.ws_url
            try JSONSerialization.data(withJSONObject: object).write(to: files["through.json"])
            try await body(files["through.json"].path)
            process.terminate()
            for await status in exits {
                let errors = try files.read("err")
                #expect(status == 0, "The proxy wrote: \(errors)")
            }
            let har = try JSONSerialization.jsonObject(with: Data(contentsOf: files["session.har"])) as? [String: Any]
            let entries = (har?["log"] as? [String: Any])?["entries"] as? [Any]
            #expect((entries?.count ?? 0) > 0)
        }
    }
}
