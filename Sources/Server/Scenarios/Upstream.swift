import FitIQAPI
import Text

/// A real server that answers in a world (a scenario's `upstream:`).
public struct Upstream: Sendable, Equatable {
    /// The server's URL; nil if it comes from the option `--upstream`.
    public var url: UpstreamURL?
    /// Who answers endpoints that are not in ``endpoints``, and other paths.
    public var answers = Answerer.real
    public var endpoints: [Endpoint: Answerer] = [:]

    public enum Answerer: String, Sendable, CaseIterable {
        case fake, real
        /// The fake answers if the real server responds with 404 or 501 or is unreachable.
        case realElseFake = "real-else-fake"
    }

    public init(_ url: UpstreamURL?) { self.url = url }

    public func answerer(of endpoint: Endpoint?) -> Answerer {
        endpoint.flatMap { endpoints[$0] } ?? answers
    }

    /// The statuses after which the fake may answer: the server does not have the path, the method or the feature.
    public static let statusesOfAbsence = [404, 501]
}

extension Upstream {
    /// Reads a URL, or a mapping that says who answers each endpoint.
    static func read(_ cursor: Cursor) -> Upstream? {
        guard case .mapping = cursor.node.content else { return url(cursor).map { Upstream($0) } }
        guard let fields = Fields(cursor, as: .upstream) else { return nil }
        var upstream = Upstream(fields["url"].flatMap(url))
        upstream.answers = fields["answers"]?.choice(of: Answerer.self) ?? .real
        let names = Endpoint.allCases.map { (name: "\($0.method.rawValue) \($0.template)", endpoint: $0) }
        for cursor in fields["except"]?.elements(limit: ScenarioLimits.upstreamRules, of: "exceptions") ?? [] {
            guard let fields = Fields(cursor, as: .exception) else { continue }
            let answerer = fields.required("answers", Messages.answerer)?.choice(of: Answerer.self)
            for cursor in fields.required("on", Messages.endpoints)?.oneOrMore(limit: 200, of: "endpoints") ?? [] {
                guard let endpoint = names.first(where: { $0.name == cursor.written })?.endpoint else {
                    let nearest = cursor.written.flatMap { Messages.nearest($0, names.map(\.name)) }
                    cursor.refuse(
                        "must be \(Messages.endpoints); got \(cursor.node.excerpt).\(NearestWord.hint(nearest))")
                    continue
                }
                guard let answerer else { continue }
                if upstream.endpoints.updateValue(answerer, forKey: endpoint) != nil {
                    cursor.refuse("is already in an earlier exception: each endpoint may be in only one exception.")
                }
            }
        }
        return upstream
    }

    private static func url(_ cursor: Cursor) -> UpstreamURL? {
        guard let text = cursor.string(expected: Messages.upstreamURL) else { return nil }
        do throws(Refusal) {
            return try UpstreamURL(text)
        } catch {
            return cursor.refuse("does not name a server: \(error.description).")
        }
    }
}

extension Upstream? {
    /// Returns this upstream, with the other's URL if it has none; returns `other` if this is nil.
    public func completed(by other: Upstream?) -> Upstream? {
        guard var result = self else { return other }
        result.url = result.url ?? other?.url
        return result
    }
}
