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

    /// A path below the folder loses the folder.
    static func shortened(_ path: String, in folder: String) -> String {
        let short = path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
        return short.shellQuoted
    }
}

extension String {
    /// The text as one word of a shell's command line: in quotation marks where it has characters that a shell reads.
    var shellQuoted: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@".contains($0)) }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
