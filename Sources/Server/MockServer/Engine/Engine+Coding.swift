import Deflate
import FitIQAPI
import FitIQBackend
import HTTP1
import HTTPTypes

/// The content coding of bodies: gzip, in worlds with compression (RFC 9110 §8.4).
extension Engine {
    /// Inflates the body of a request of the API.
    ///
    /// - Throws: 415 for another coding and in a world without compression, 413 for too much, 400 for damage.
    func decodeBody(of exchange: Exchange) throws(APIError) {
        guard !exchange.body.isEmpty, !exchange.isReleased, let coding = exchange.head.fields[.contentEncoding],
            coding.lowercased() != "identity"
        else { return }
        let isKnown = exchange.world.isCompressing
        guard isKnown, ["gzip", "x-gzip"].contains(coding.lowercased()) else {
            throw .unsupportedCoding(coding, isGzipKnown: isKnown)
        }
        let limit = exchange.endpoint == .recognizeMealPhoto ? limits.photoBody : HTTP1.Limits().body
        do throws(MessageInflater.Mistake) {
            exchange.body = try Gzip.inflate(exchange.body, limit: limit)
        } catch {
            throw error == .tooLarge ? .inflatedTooLarge(limit: limit) : .corruptGzip
        }
    }

    /// Makes an answer what is sent: with gzip if the client takes it, and it makes the body smaller.
    ///
    /// Long answers come as they are, because to deflate them holds the loop, except pages; so do those whose text a
    /// fault changes.
    func encode(_ answer: inout Answer, for exchange: Exchange) {
        guard exchange.world.isCompressing, answer.source == nil, !answer.isRecorded,
            (1...(answer.isPage ? Self.longestWholeBody : Self.longestCodedBody)).contains(answer.body.count),
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

    /// The longest body that is sent with gzip: it takes some three milliseconds.
    static let longestCodedBody = 256 * 1024

    /// Pages and descriptions, which are constant and large, are deflated once.
    private func gzipped(_ answer: Answer) -> [UInt8] {
        guard answer.isPage else { return Gzip.deflate(answer.body) }
        if let known = codedPages.first(where: { $0.body == answer.body }) { return known.coded }
        let coded = Gzip.deflate(answer.body)
        codedPages = codedPages.suffix(7) + [(answer.body, coded)]
        return coded
    }
}

extension World {
    /// Whether it takes and sends bodies with gzip.
    fileprivate var isCompressing: Bool { settings.scenario.rules.compression ?? .off != .off }
}

extension Answer {
    /// Whether it is a page, a description or a picture, of which there are few.
    fileprivate var isPage: Bool {
        guard let contentType else { return false }
        return !["application/json", "text/plain"].contains { contentType.hasPrefix($0) }
    }
}
