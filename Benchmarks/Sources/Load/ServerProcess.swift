import FoundationEssentials
import Glibc

/// A process that /proc describes.
public struct ServerProcess: Sendable {
    private let id: Int32

    /// Names a process by its id.
    public init(id: Int32) { self.id = id }

    /// Its resident memory, `VmRSS` of /proc/PID/status.
    public func residentBytes() throws -> Int {
        let status = try read("status")
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kibibytes = Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1])
        else { throw LoadError.unexpected(status, wanted: "a VmRSS line", during: "reading memory") }
        return kibibytes * 1024
    }

    /// The processor time of all its threads, utime and stime of /proc/PID/stat, in steps of 10 ms.
    public func processorSeconds() throws -> Double {
        let stat = try read("stat")
        // The second field is the program's name in parentheses and may contain spaces.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw LoadError.unexpected(stat, wanted: "utime and stime", during: "reading processor time")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private func read(_ name: String) throws -> String {
        let path = "/proc/\(id)/\(name)"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw LoadError.unexpected("nothing", wanted: "a file", during: "reading \(path)")
        }
        return text
    }
}
