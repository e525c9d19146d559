import FitIQAPI
import HTTP1
import HTTPTypes

/// Answers that pages from other origins may read (CORS, as defined in the Fetch standard).
///
/// Pages cannot send cookies or read the admin API. Without cookies, the answers may use wildcards for field names.
extension Engine {
    /// The answer to a CORS preflight; nil for any other request.
    ///
    /// The answer also permits requests to unknown paths, so that the page can read the refusal.
    func preflightAnswer(_ head: RequestHead, _ destination: Destination, in mode: GuideMode) -> Answer? {
        guard head.method == .options, let wanted = head.fields[.accessControlRequestMethod],
            isShared(with: head, isAdmin: destination.isAdmin)
        else { return nil }
        let known = destination.world == nil ? [] : destination.route?.methods(in: mode).map(\.rawValue) ?? []
        let methods = known.isEmpty ? [wanted] : known
        return Answer(
            status: .noContent, body: [],
            fields: [
                .accessControlAllowMethods: methods.joined(separator: ", "),
                // The wildcard covers all other fields.
                .accessControlAllowHeaders: "Authorization, *",
                .vary: "Access-Control-Request-Method, Origin",
            ])
    }

    /// Adds the fields that allow a page to read an answer; idempotent.
    func share(_ answer: inout Answer, to head: RequestHead, isAdmin: Bool) {
        guard !configuration.readingOrigins.isEmpty, !isAdmin else { return }
        var fields = answer.fields ?? HTTPFields()
        // This field tells caches that the answer depends on the origin, even if the answer gets no other field.
        if fields[.vary]?.contains("Origin") != true { fields[values: .vary].append("Origin") }
        if isShared(with: head, isAdmin: isAdmin) {
            fields[.accessControlAllowOrigin] = head.fields[.origin]
            fields[.accessControlExposeHeaders] = "*"
        }
        answer.fields = fields
    }

    private func isShared(with head: RequestHead, isAdmin: Bool) -> Bool {
        let readers = configuration.readingOrigins
        guard !readers.isEmpty, !isAdmin, let text = head.fields[.origin] else { return false }
        return readers.contains(.any) || AllowedOrigin(text).map(readers.contains) ?? false
    }
}
