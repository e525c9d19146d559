import Glibc
import Load

/// Measures a server that streams answers to many WebSockets at once; prints rows of a Markdown table.
///
/// Exits with 1 if a connection failed, a chunk was lost or an answer differs from the stored message. It measures no
/// lateness of a server that answers at once (`--pace instant`). `--server floor` measures `floor`, which keeps no
/// history; `--write-floor FILE` writes the frames that `floor` sends.
@main
struct Command {
    static func main() {
        runCommand("stream-load") {
            let options = try Options(
                CommandLine.arguments.dropFirst(),
                known: [
                    "--port", "--pid", "--connections", "--seconds", "--secret", "--api-key", "--pace", "--server",
                    "--write-floor",
                ])
            if let path = options["--write-floor"] { return try FloorAnswer().write(to: path) }
            let isFloor = options["--server"] == "floor"
            let isPaced = options["--pace"] != "instant"
            let port: UInt16 = try options.number("--port")
            let server = ServerProcess(id: try options.number("--pid"))
            let count = try options.number("--connections", default: 2_000)
            let seconds = try options.number("--seconds", default: 20)

            let consultations =
                try isFloor
                ? Consultation.invented(count)
                : Consultation.create(
                    count, port: port, secret: try options.required("--secret"),
                    apiKey: try options.required("--api-key"))
            let load = try StreamLoad(consultations, port: port, expectedSamples: count * (seconds + 5) * 25)
            let serverBefore = try server.processorSeconds()
            let ownBefore = ownProcessorSeconds()
            try load.run(seconds: seconds)
            let elapsed = Double(load.streamingNanoseconds) / 1e9
            let serverShare = (try server.processorSeconds() - serverBefore) / elapsed
            let ownShare = (ownProcessorSeconds() - ownBefore) / elapsed

            var verification = Verification()
            if isFloor {
                verification.expect(try FloorAnswer().offsets, of: load.chatters)
            } else {
                try verification.compareWithHistory(consultations, load.chatters, port: port)
            }
            if isPaced { verification.compareWithSchedule(load.samples) }

            row("connections", "\(count)")
            row("chunks received", "\(load.samples.count)")
            row("chunks per second", "\(Int(Double(load.samples.count) / elapsed))")
            if isPaced { row("chunks lost", "\(verification.lostChunks)") }
            row("answers equal to the stored message", equalAnswers(verification, load))
            row("failed connections", "\(load.failures.count)")
            let lateness = Distribution(verification.lateness)
            for (name, percent) in [("p50", 50), ("p99", 99), ("p99.9", 99.9), ("max", 100)] where isPaced {
                row("lateness \(name)", lateness.percentile(percent).map(milliseconds) ?? "no chunks")
            }
            row("server's processor time", percent(serverShare))
            let perChunk = serverShare * elapsed * 1e7 / Double(max(load.samples.count, 1))
            row("the same per chunk", "\(perChunk.rounded() / 10) µs")
            row("generator's processor time", percent(ownShare))

            let problems = load.failures + verification.differences
            for problem in problems.prefix(10) { warn(problem) }
            if !problems.isEmpty || load.samples.isEmpty { exit(1) }
        }
    }

    private static func equalAnswers(_ verification: Verification, _ load: StreamLoad) -> String {
        let complete = load.chatters.reduce(0) { $0 + $1.completed }
        let verdict = verification.differences.isEmpty ? "all" : "NOT ALL"
        return "\(verdict) of \(verification.comparedAnswers) (\(complete) complete)"
    }

    private static func row(_ name: String, _ value: String) { print("| \(name) | \(value) |") }

    private static func milliseconds(_ microseconds: Int32) -> String {
        let sign = microseconds < 0 ? "-" : ""
        let hundredths = (abs(Int(microseconds)) + 5) / 10
        return "\(sign)\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) % of a core" }

    private static func ownProcessorSeconds() -> Double {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(micros) / 1e6
    }

    private static func warn(_ text: String) {
        let line = Array("stream-load: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
