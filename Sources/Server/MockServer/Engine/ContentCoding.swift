import Deflate
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes

/// Content coding for bodies: gzip, in worlds that use compression (RFC 9110 §8.4).
struct ContentCoding {
    /// The constant pages last sent with gzip.
    private(set) var pages: [(body: [UInt8], coded: [UInt8])] = []
    /// The maximum size of a form that contains a meal photo, in bytes.
    private let longestPhoto: Int

    init(_ limits: ServerLimits) { longestPhoto = limits.photoBody }

    /// Inflates the body of a request, so that faults, the journal and recordings see its text.
    ///
    /// A body that cannot be inflated stays unchanged until ``check(_:)`` refuses it, because other refusals
    /// take precedence.
    func inflateBody(of exchange: Exchange) {
        guard !exchange.body.isEmpty, exchange.inflation == nil, exchange.world.takesGzip, !exchange.isOfServer,
            let coding = exchange.head.fields[.contentEncoding], Self.isGzip(coding)
        else { return }
        do throws(MessageInflater.Mistake) {
            exchange.body = try Gzip.inflate(exchange.body, limit: longestBody(of: exchange))
            exchange.inflation = .done
        } catch {
            exchange.inflation = .failed(error)
        }
    }

    /// Refuses a body that has a content coding, unless the body has been inflated.
    ///
    /// - Throws: A 415 for a coding other than gzip, and for gzip in a world that does not use compression; a 413 for
    ///   data that is too long; a 400 for damaged data.
    func check(_ exchange: Exchange) throws(APIError) {
        switch exchange.inflation {
        case .done: return
        case .failed(.tooLarge): throw .inflatedTooLarge(limit: longestBody(of: exchange))
        case .failed: throw .corruptGzip
        case nil:
            guard !exchange.body.isEmpty, let coding = exchange.head.fields[.contentEncoding],
                coding.lowercased() != "identity"
            else { return }
            throw .unsupportedCoding(coding, isGzipKnown: exchange.world.takesGzip)
        }
    }

    private static func isGzip(_ coding: String) -> Bool { ["gzip", "x-gzip"].contains(coding.lowercased()) }

    private func longestBody(of exchange: Exchange) -> Int {
        exchange.endpoint == .recognizeMealPhoto ? longestPhoto : HTTP1.Limits().body
    }

    /// Applies gzip to an answer if the client accepts gzip and the body becomes smaller.
    ///
    /// Some answers stay unchanged: long answers other than pages, because compressing them would block the loop, and
    /// answers whose text a fault changes.
    mutating func encode(_ answer: inout Answer, for exchange: Exchange) {
        guard exchange.world.isCompressing, answer.source == nil, !answer.isRecorded,
            (1...(answer.isPage ? Engine.longestWholeBody : Self.longestBody)).contains(answer.body.count),
            exchange.responseFaults?.faults.contains(where: \.changesText) != true
        else { return }
        var fields = answer.fields ?? HTTPFields()
        fields[values: .vary].append("Accept-Encoding")
        if exchange.head.fields.acceptsGzip {
            let deflated = gzipped(answer)
            if deflated.count < answer.body.count {
                answer.body = deflated
                fields[.contentEncoding] = "gzip"
            }
        }
        answer.fields = fields
    }

    /// The maximum size of a body to deflate, in bytes; deflating this much takes about three milliseconds.
    static let longestBody = 256 * 1024

    /// Deflates an answer; caches the latest pages and descriptions, because they are constant and large.
    private mutating func gzipped(_ answer: Answer) -> [UInt8] {
        guard answer.isPage else { return Gzip.deflate(answer.body) }
        if let known = pages.first(where: { $0.body == answer.body }) { return known.coded }
        let coded = Gzip.deflate(answer.body)
        pages = pages.suffix(7) + [(answer.body, coded)]
        return coded
    }
}

extension World {
    /// Whether the world accepts and sends bodies compressed with gzip.
    fileprivate var isCompressing: Bool { settings.scenario.rules.compression ?? .off != .off }

    /// Whether the world inflates request bodies; the server in a replayed session may also have inflated them.
    fileprivate var takesGzip: Bool { isCompressing || replay != nil }
}

extension Answer {
    /// Whether the answer is a page, a description or a picture.
    fileprivate var isPage: Bool {
        guard let contentType else { return false }
        return !["application/json", "text/plain"].contains { contentType.hasPrefix($0) }
    }
}
