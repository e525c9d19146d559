#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How the program is called from the folder one stands in, for commands that are printed to be pasted.
enum ProgramName {
    static var asTyped: String {
        shortened(CommandLine.arguments[0], in: getcwd(nil, 0).map { String(cString: $0) } ?? "")
    }

    /// A path below the folder loses the folder; one with characters that a shell reads is quoted.
    static func shortened(_ path: String, in folder: String) -> String {
        let short = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        let isPlain = short.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
        return isPlain ? short : "'" + short.replacing("'", with: "'\\''") + "'"
    }
}
