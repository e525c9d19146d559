import COpenSSL

/// A name that a certificate vouches for: a host name, or an IP address.
public enum CertificateName: Sendable, Hashable {
    /// A host name in lower case, perhaps with `*` as its first label.
    case dns(String)
    /// An IP address: 4 bytes or 16.
    case ip([UInt8])

    /// The names of this machine to itself: `localhost`, `127.0.0.1` and `::1`.
    public static let local: [CertificateName] = [
        .dns("localhost"), .ip([127, 0, 0, 1]), .ip([UInt8](repeating: 0, count: 15) + [1]),
    ]

    /// Reads a host name or an IP address, with or without brackets.
    ///
    /// Host names are letters, digits, `-` and `_` in labels of 1 to 63 bytes, 253 bytes in all (RFC 1035 §2.3.4);
    /// throws ``TLSError/invalidName(_:)``.
    public init(_ text: String) throws(TLSError) {
        if let address = Self.address(text) {
            self = .ip(address)
        } else if Self.isHostName(text) {
            self = .dns(text.lowercased())
        } else {
            throw .invalidName(text)
        }
    }

    /// Throws where a name was put together that cannot be read again: commas in it would be extensions of their own.
    func check() throws(TLSError) {
        switch self {
        case .dns(let text): guard Self.isHostName(text) else { throw .invalidName(text) }
        case .ip(let bytes): guard bytes.count == 4 || bytes.count == 16 else { throw .invalidName(description) }
        }
    }

    /// The bytes of an IP address in text, or nil.
    static func address(_ text: String) -> [UInt8]? {
        var bytes = Substring(text)
        if bytes.hasPrefix("["), bytes.hasSuffix("]") { bytes = bytes.dropFirst().dropLast() }
        guard !bytes.utf8.contains(0), bytes.utf8.count <= 45, let read = a2i_IPADDRESS(String(bytes)) else {
            OpenSSLErrors.clear()
            return nil
        }
        defer { ASN1_OCTET_STRING_free(read) }
        return [UInt8](UnsafeBufferPointer(start: read.pointee.data, count: Int(read.pointee.length)))
    }

    private static func isHostName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A last label of digits would be an address that was written wrong.
        guard let last = labels.last, !last.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 1, label.elementsEqual("*".utf8) { return true }
            return (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-") && label.allSatisfy(Self.isHostByte)
        }
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension CertificateName: CustomStringConvertible {
    /// The name as one would write it into a URL, IPv6 without brackets and shortened after RFC 5952.
    public var description: String {
        switch self {
        case .dns(let name): Messages.printable(name)
        case .ip(let bytes) where bytes.count == 4: bytes.map(String.init).joined(separator: ".")
        case .ip(let bytes) where bytes.count == 16: Self.shortened(bytes)
        case .ip(let bytes): "an address of \(bytes.count) bytes"
        }
    }

    private static func shortened(_ bytes: [UInt8]) -> String {
        let groups = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        // RFC 5952 §4.2: the longest run of two or more zero groups, the first of equals.
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > longest.count, index - start > 1 { longest = start..<index }
            start = index + 1
        }
        let text = { (part: ArraySlice<UInt16>) in
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
