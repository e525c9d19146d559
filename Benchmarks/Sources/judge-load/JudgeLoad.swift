import Glibc
import Load

/// Measures the cost of judging a saved journal with `fitiq-mock judge`, and prints Markdown rows.
///
/// `judge-load --program PATH --folder PATH [--lines N]`. The time is from spawn to exit; the memory is the process's
/// largest resident size from wait4(2). One row is for the whole journal and one for a tenth of it, since memory must
/// not grow with the lines.
@main
struct JudgeLoad {
    static func main() {
        runCommand("judge-load") {
            let options = try Options(CommandLine.arguments.dropFirst(), known: ["--program", "--folder", "--lines"])
            let program = try options.required("--program")
            let path = try options.required("--folder") + "/journal.ndjson"
            let lines = try options.number("--lines", default: 1_000_000)
            for count in [lines / 10, lines] {
                let bytes = try JournalFile.write(lines: count, to: path)
                let start = monotonicNanoseconds()
                let peak = try run([program, "judge", path])
                let seconds = Double(monotonicNanoseconds() - start) / 1e9
                let rate = Int(Double(count) / seconds)
                print(
                    "| \(count) lines, \(bytes >> 20) MiB | \(Double(Int(seconds * 100)) / 100) s | \(rate) lines/s "
                        + "| \(peak >> 10) MiB |")
            }
            unlink(path)
        }
    }

    /// Runs a command with its output discarded; returns its largest resident size in KiB.
    private static func run(_ command: [String]) throws -> Int {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, nil, arguments, environ)
        guard code == 0 else { throw LoadError.system(call: "spawn \(command[0])", code: code) }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process else {
            throw LoadError.system(call: "wait4", code: errno)
        }
        // 0 if the made-up client keeps everything, 1 if not: both are verdicts.
        let exit = status & 0x7F == 0 ? Int(status >> 8) & 0xFF : -1
        guard exit == 0 || exit == 1 else {
            throw LoadError.unexpected("exit \(exit)", wanted: "0 or 1", during: "fitiq-mock judge")
        }
        return usage.ru_maxrss
    }
}
