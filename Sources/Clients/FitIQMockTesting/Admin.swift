import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The source of the server's address.
enum Origin: Sendable {
    case variable, readyFile, argument, program, usual

    var text: String {
        switch self {
        case .variable: "FITIQ_MOCK_URL"
        case .readyFile: "FITIQ_MOCK_READY_FILE"
        case .argument: "passed to MockServer(url:)"
        case .program: "started by the tests"
        case .usual: "the default location, because neither FITIQ_MOCK_URL nor FITIQ_MOCK_READY_FILE is set"
        }
    }
}

/// Sends requests to the admin API of a server or a world.
struct Admin: Sendable {
    /// The URL, which ends in `/__admin` without a slash.
    let url: URL
    let token: String?
    /// The time limit for a response, in seconds.
    var patience: TimeInterval = 30

    /// One of two sessions, so that waiting requests never block other requests.
    private static let quick = session(connections: 16)
    private static let waiting = session(connections: 512)

    private static func session(connections: Int) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        return URLSession(configuration: configuration)
    }

    /// The operations that this kit uses, by their names in the API's index.
    static let operations = [
        "POST /__admin/worlds", "DELETE /__admin/worlds/{id}", "POST /__admin/reset", "POST /__admin/fork",
        "POST /__admin/marks", "POST /__admin/rewind", "GET /__admin/clock", "POST /__admin/clock",
        "POST /__admin/wait", "GET /__admin/requests", "GET /__admin/frames", "GET /__admin/journal",
        "GET /__admin/har",
        "GET /__admin/ui", "GET /__admin/verdicts", "GET /__admin/state", "GET /__admin/faults", "POST /__admin/faults",
        "DELETE /__admin/faults", "PATCH /__admin/faults/{name}", "DELETE /__admin/faults/{name}",
        "PUT /__admin/network", "POST /__admin/breakpoints", "PATCH /__admin/breakpoints/{name}",
        "DELETE /__admin/breakpoints/{name}", "GET /__admin/sockets", "POST /__admin/sockets/{connection}/send",
        "POST /__admin/sockets/{connection}/close", "POST /__admin/sockets/{connection}/reset",
        "POST /__admin/sockets/{connection}/silence", "POST /__admin/sockets/{connection}/resume",
    ]

    /// The admin API at another URL of the same server.
    func at(_ url: URL) -> Admin { Admin(url: url, token: token, patience: patience) }

    /// Sends a request and returns the response's body.
    ///
    /// - Parameters:
    ///   - path: The percent-encoded path after ``url``.
    ///   - wait: How long the server may wait before it responds.
    func send(
        _ method: String, _ path: String = "", query: [String: String] = [:], _ body: MockWorld.JSON? = nil,
        waiting wait: Duration? = nil
    ) async throws -> Data {
        var place = place(of: path)
        if !query.isEmpty, var parts = URLComponents(url: place, resolvingAgainstBaseURL: false) {
            parts.queryItems = query.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
            place = parts.url ?? place
        }
        let patience = patience + (wait?.seconds ?? 0)
        var request = URLRequest(url: place, timeoutInterval: patience)
        request.httpMethod = method
        request.httpBody = body?.data
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        if let token { request.setValue(token, forHTTPHeaderField: "X-Admin-Token") }
        let name = "\(method) \(place.absoluteString)"
        let (data, response) = try await Self.answer(
            to: request, named: name, in: wait == nil ? Self.quick : Self.waiting, within: patience)
        guard let status = (response as? HTTPURLResponse)?.statusCode, !(200..<300).contains(status) else {
            return data
        }
        throw refusal(status, data, of: name)
    }

    /// Waits for the response to a request; throws an error at the time limit, regardless of the system's time-outs.
    private static func answer(
        to request: URLRequest, named name: String, in session: URLSession, within patience: TimeInterval
    ) async throws -> (Data, URLResponse) {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<(Data, URLResponse), any Error>.self)
        let url = request.url ?? URL(fileURLWithPath: "/")
        let task = session.dataTask(with: request) { data, response, error in
            if let data, let response {
                outcome.yield(.success((data, response)))
            } else {
                let reason = error.map { "(\($0.localizedDescription))" } ?? ""
                let isLate = (error as? URLError)?.code == .timedOut
                outcome.yield(
                    .failure(isLate ? Messages.late(name, url, after: patience) : Messages.lost(name, url, reason)))
            }
        }
        task.resume()
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            outcome.yield(.failure(Messages.late(name, url, after: patience)))
        }
        for await result in outcomes {
            if case .failure = result { task.cancel() }
            return try result.get()
        }
        // The stream ends when the task is cancelled.
        task.cancel()
        throw CancellationError()
    }

    private func place(of path: String) -> URL {
        path.isEmpty ? url : URL(string: "\(url.absoluteString)/\(path)") ?? url.appendingPathComponent(path)
    }

    /// Sends a request and decodes the response from JSON.
    func read<Answer: Decodable>(
        as type: Answer.Type = Answer.self, _ method: String, _ path: String, query: [String: String] = [:],
        _ body: MockWorld.JSON? = nil, waiting: Duration? = nil
    ) async throws -> Answer {
        let data = try await send(method, path, query: query, body, waiting: waiting)
        do {
            return try JSONDecoder.admin.decode(type, from: data)
        } catch {
            throw Messages.unreadable("\(method) \(place(of: path).absoluteString)", error)
        }
    }

    private func refusal(_ status: Int, _ data: Data, of name: String) -> MockError {
        let error = (try? JSONDecoder().decode(MockWorld.JSON.self, from: data))?["error"]
        let message = error?["message"]?.string ?? String(decoding: data.prefix(500), as: UTF8.self)
        let (code, text) = (error?["code"]?.string ?? "", "\(name) was refused with \(status): \(message)")
        switch status {
        case 401: return Messages.noAdminToken(url, sent: token != nil)
        case 403: return MockError(.forbidden, text)
        case 404: return MockError(.notFound, text)
        case 408:
            let misses = error?["details"]?["near_misses"]?.elements ?? []
            let lines = misses.map { miss in
                "\n  nearest: #\(miss["entry"]?["number"]?.integer ?? 0), but "
                    + miss["differences", default: []].elements.compactMap(\.string).joined(separator: ", ")
            }
            return MockError(.nothingMatched, message + lines.joined())
        default: return MockError(.refused(status: status, code: code), text)
        }
    }
}

extension MockWorld.JSON {
    subscript(_ name: String, default value: MockWorld.JSON) -> MockWorld.JSON { self[name] ?? value }
}

extension String {
    /// The name, encoded as a path segment.
    var segment: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-_~"))) ?? self
    }
}
