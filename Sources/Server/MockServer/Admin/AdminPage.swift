import HTTPTypes

/// The admin API's web page.
extension Engine {
    /// `GET /__admin/ui`: the page, which contains no data.
    func adminPage(_ call: AdminCall) -> Answer {
        let page = APIDescription.adminPageBytes
        var fields = HTTPFields()
        // `frame-ancestors` works only in a header field, not in a `meta` element (CSP Level 3, §6.4.2).
        fields[.contentSecurityPolicy] = Self.policy(of: page) + "; frame-ancestors 'none'"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.referrerPolicy] = "no-referrer"
        fields[.cacheControl] = "no-store"
        return Answer(body: page, fields: fields, contentType: APIDescription.documentation.mediaType)
    }

    /// The policy from the page's `meta` element, which contains the hashes of its script and style.
    static func policy(of page: [UInt8]) -> String {
        let parts = page.prefix(4096).split(separator: UInt8(ascii: "\""))
        let name = parts.firstIndex { $0.elementsEqual("Content-Security-Policy".utf8) }
        guard let name, name + 2 < parts.count else { preconditionFailure("The page must have a policy.") }
        return String(decoding: parts[name + 2], as: UTF8.self)
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!  // A constant token.
}
