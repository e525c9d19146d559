#if os(macOS) || os(Linux)
    import Foundation

    /// A server that this process started, and that ends when this process ends.
    final class Child: Sendable {
        let url: URL
        let adminToken: String?
        /// Closing this file handle ends the server; the system closes it when the process ends, even if a signal ends
        /// the process.
        private let life: FileHandle
        private let end: AsyncStream<Void>

        /// A script in which `sh` becomes the server, after starting a process that ends the server when standard input
        /// ends.
        ///
        /// The shell does not wait for children, because Foundation may start it with SIGCHLD blocked. When the
        /// server's standard output ends, the server has ended, because the other process does not have this output
        /// open.
        private static let script = """
            exec 3<&0
            server=$$
            ( { cat <&3; kill $server; } >/dev/null 2>&1 & )
            exec "$@" 3<&- </dev/null 2>"$0"
            """

        static func start(_ options: [String], binary: URL?) async throws -> Child {
            let program = try binary ?? Self.program()
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "fitiq-mock-\(ProcessInfo.processInfo.globallyUniqueString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let ready = folder.appendingPathComponent("ready.json")
            let log = folder.appendingPathComponent("log")
            let arguments = [program.path, "serve", "--port", "0", "--ready-file", ready.path] + options
            let (input, output) = (Pipe(), Pipe())
            let (events, event) = AsyncStream.makeStream(of: Bool.self)
            let (end, ended) = AsyncStream.makeStream(of: Void.self)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script, log.path] + arguments
            // Do not pass the tests' settings to the server.
            process.environment = ProcessInfo.processInfo.environment.filter {
                !$0.key.hasPrefix("FITIQ_MOCK_") || $0.key == "FITIQ_MOCK_ADMIN_TOKEN"
            }
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            // The server prints its banner when it accepts requests. Keep reading its later output.
            output.fileHandleForReading.readabilityHandler = { handle in
                let isEnd = handle.availableData.isEmpty
                event.yield(!isEnd)
                guard isEnd else { return }
                handle.readabilityHandler = nil
                ended.finish()
            }
            let life = input.fileHandleForWriting
            do {
                try process.run()
            } catch {
                throw Messages.notStarted(arguments.joined(separator: " "), error.localizedDescription)
            }
            let isReady = await events.first { _ in true } ?? false
            guard isReady, let file = ReadyFile(at: ready), let url = URL(string: file.url) else {
                try? life.close()
                let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
                throw Messages.notStarted(
                    arguments.joined(separator: " "), text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            let option = options.firstIndex(of: "--admin-token").map { options.index(after: $0) }
            let token = option.flatMap { $0 < options.count ? options[$0] : nil }
            let joined = options.first { $0.hasPrefix("--admin-token=") }.map { String($0.dropFirst(14)) }
            return Child(url, token ?? joined ?? process.environment?["FITIQ_MOCK_ADMIN_TOKEN"], life, end)
        }

        private init(_ url: URL, _ adminToken: String?, _ life: FileHandle, _ end: AsyncStream<Void>) {
            (self.url, self.adminToken, self.life, self.end) = (url, adminToken, life, end)
        }

        deinit { try? life.close() }

        func stop() async {
            try? life.close()
            for await _ in end {}
        }

        /// The program from the environment, or from `PATH` if the environment does not set one.
        private static func program() throws -> URL {
            let environment = ProcessInfo.processInfo.environment
            let named = environment["FITIQ_MOCK_BINARY"]
            let paths =
                named.map { [$0] } ?? (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/fitiq-mock" }
            guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
                throw Messages.noBinary(named)
            }
            return URL(fileURLWithPath: path)
        }
    }
#endif
