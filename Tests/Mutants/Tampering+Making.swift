import ContractSuite
import FitIQAPI
import FitIQClient
import HTTPTypes
import JSON

/// Mutations that several mutants use.
extension Tampering {
    /// Changes requests before they are sent.
    package static func requests(_ change: @escaping (inout ClientRequest) -> Void) -> Tampering {
        var tampering = Tampering()
        tampering.act = { action, _, _ in
            guard case .send(var request) = action else { return [action] }
            change(&request)
            return [.send(request)]
        }
        return tampering
    }

    /// Changes handshakes before they are sent.
    package static func handshakes(_ change: @escaping (inout ClientSocketRequest) -> Void) -> Tampering {
        var tampering = Tampering()
        tampering.act = { action, _, _ in
            guard case .openSocket(var request) = action else { return [action] }
            change(&request)
            return [.openSocket(request)]
        }
        return tampering
    }

    /// Sends an additional request the first time a certain request is sent.
    package static func besides(
        _ isMoment: @escaping (ClientRequest) -> Bool, in delay: Duration = .zero,
        _ make: @escaping (ClientRequest) -> ClientRequest
    ) -> Tampering {
        var tampering = Tampering()
        var isDone = false
        tampering.act = { action, schedule, now in
            guard !isDone, case .send(let request) = action, isMoment(request) else { return [action] }
            isDone = true
            var other = make(request)
            other.number = schedule.number()
            if delay == .zero { return [action, .send(other)] }
            schedule.add(.send(other), in: delay, from: now)
            return [action]
        }
        return tampering
    }

    /// Changes answers before the client reads them, depending on the request.
    package static func answers(_ change: @escaping (inout ClientResponse, ClientRequest) -> Void) -> Tampering {
        var tampering = Tampering()
        var asked: [Int: ClientRequest] = [:]
        tampering.act = { action, _, _ in
            if case .send(let request) = action { asked[request.number] = request }
            return [action]
        }
        tampering.hear = { input, _, _ in
            guard case .response(var response) = input, let request = asked[response.number] else { return [input] }
            change(&response, request)
            return [.response(response)]
        }
        return tampering
    }

    /// Treats an answer that it cannot decode as an error.
    package static func throwing(_ isUnreadable: @escaping (JSONValue) -> Bool) -> Tampering {
        .answers { response, _ in
            guard let body = try? JSON.parse(response.body), isUnreadable(body) else { return }
            (response.status, response.body) = (400, Array("{}".utf8))
        }
    }

    /// Answers requests itself, so that they are never sent.
    package static func answering(_ answer: @escaping (ClientRequest) -> (status: Int, body: JSONValue)?) -> Tampering {
        var tampering = Tampering()
        tampering.act = { action, schedule, now in
            guard case .send(let request) = action, let (status, body) = answer(request) else { return [action] }
            let response = ClientResponse(number: request.number, status: status, body: body.encoded())
            schedule.add(.response(response), in: .milliseconds(1), from: now)
            return []
        }
        return tampering
    }

    /// Repeats requests that got a matching answer, each at most this many times, before the client learns of the
    /// answer.
    package static func repeating(
        _ times: Int = 1, after delay: Duration, where isToBeRepeated: @escaping (ClientRequest, Int) -> Bool
    ) -> Tampering {
        var tampering = Tampering()
        var asked: [Int: (request: ClientRequest, number: Int, count: Int)] = [:]
        tampering.act = { action, _, _ in
            if case .send(let request) = action, asked[request.number] == nil {
                asked[request.number] = (request, request.number, 0)
            }
            return [action]
        }
        tampering.hear = { input, schedule, now in
            guard case .response(var response) = input, let entry = asked[response.number] else { return [input] }
            guard entry.count < times, isToBeRepeated(entry.request, response.status) else {
                response.number = entry.number
                return [.response(response)]
            }
            var again = entry.request
            again.number = schedule.number()
            asked[again.number] = (again, entry.number, entry.count + 1)
            schedule.add(.send(again), in: delay, from: now)
            return []
        }
        return tampering
    }

    /// Repeats handshakes that got a matching error, once each, before the client learns of the error.
    package static func repeatingHandshakes(after delay: Duration, status: Int) -> Tampering {
        var tampering = Tampering()
        var asked: [Int: (request: ClientSocketRequest, number: Int)] = [:]
        tampering.act = { action, _, _ in
            if case .openSocket(let request) = action, asked[request.number] == nil {
                asked[request.number] = (request, request.number)
            }
            return [action]
        }
        tampering.hear = { input, schedule, now in
            guard case .socketRefused(var response) = input, response.status == status,
                let entry = asked[response.number]
            else { return [input] }
            guard entry.number == response.number else {
                response.number = entry.number
                return [.socketRefused(response)]
            }
            var again = entry.request
            again.number = schedule.number()
            asked[again.number] = (again, entry.number)
            schedule.add(.openSocket(again), in: delay, from: now)
            return []
        }
        return tampering
    }

    /// Acts when the first frame of a type arrives.
    package static func onFrame(
        _ type: String, in delay: Duration, _ act: @escaping (Int, JSONValue, inout Schedule) -> ClientAction?
    ) -> Tampering {
        var tampering = Tampering()
        var isDone = false
        tampering.hear = { input, schedule, now in
            guard !isDone, case .text(let socket, let text) = input, let frame = try? JSON.parse(text),
                frame["type"]?.string == type
            else { return [input] }
            isDone = true
            if let action = act(socket, frame, &schedule) { schedule.add(action, in: delay, from: now) }
            return [input]
        }
        return tampering
    }

    /// Changes the report that the user sees.
    package static func showing(_ change: @escaping (inout ClientReport) -> Void) -> Tampering {
        var tampering = Tampering()
        tampering.show = { report in
            var report = report
            change(&report)
            return report
        }
        return tampering
    }
}

extension ClientRequest {
    /// Whether the request has this method and its path equals or ends with this path.
    package func isTo(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        let own = target.prefix { $0 != "?" }
        return self.method == method && own.hasSuffix(path)
    }
}

extension HTTPField.Name {
    package static let apiKey = HTTPField.Name("X-API-Key") ?? .authorization
}
