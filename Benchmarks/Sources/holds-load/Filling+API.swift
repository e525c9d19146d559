import FitIQAPI
import MockServer
import Scenarios

/// The API's reading, searching, counting and checking for a user with as much data as possible.
extension Filling {
    /// A document of nearly 64 KiB with numbers and words.
    private static func document(_ path: String) -> Call {
        Call("POST", path, label: "64 KiB") {
            let members = (0..<3000).map { #""m\#($0)":\#($0),"# }
            let text = String(repeating: "sleep and rest ", count: 600)
            let known = #""valence":0.5,"content":"\#(text)","logged_at":"2000-01-01T00:00:00Z""#
            return #"{\#(members.joined())"note":"\#(text)",\#(known)}"#
        }
    }

    static let documents = Filling(
        name: "3,000 documents of 60 KB",
        fill: { turns in
            try turns.fill(1500, document("/api/v1/wellness/mood-entries"))
            try turns.fill(1500, document("/api/v1/journal"))
        },
        rows: [
            .call(Call("GET", "/api/v1/wellness/mood-entries/analytics?from=2000-01-01&to=2000-01-31")),
            .call(Call("GET", "/api/v1/wellness/mood-entries?from=2000-01-01&source=api&limit=100")),
            .call(Call("GET", "/api/v1/journal/search?q=nowhere")), .call(Call("GET", "/api/v1/journal/search?q=REST")),
            .call(Call("GET", "/api/v1/journal?from=2000-01-01&limit=100")), .get("state"),
            .call(
                Call("POST", "/api/v1/meal-logs/photo", label: "a photo of 8 MB in base64") {
                    #"{"meal_type":"lunch","image_data":"\#(String(repeating: "/9j/", count: 2_090_000))"}"#
                }),
            .call(Call("DELETE", "/api/v1/users/me")), .post("reset", "{}"),
        ])

    /// Small templates of many users, all of them public.
    static let templates = Filling(
        name: "200,000 public workout templates of 200 users",
        rows: [
            .call(
                Call("PUT", Row.admin + "state", label: "200 × 1,000 templates") {
                    let template = #"{"name":"a","is_public":true},"#
                    let templates = String(repeating: template, count: 1000).dropLast()
                    let users = (0..<200).map {
                        #"{"id":"u\#($0)","documents":{"workout_templates":[\#(templates)]}}"#
                    }
                    return #"{"name":"full","users":[\#(users.joined(separator: ","))]}"#
                }),
            .call(Call("GET", "/api/v1/workout-templates/public")),
            .call(Call("GET", "/api/v1/workout-templates/shared-with-me")),
            .call(Call("GET", "/api/v1/workout-templates/7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"), status: 404),
            .post("reset", #"{"scenario":"default"}"#),
        ])

    /// A history that nearly fills a world.
    static let longHistory = Filling(
        name: "a consultation of 200 messages of 1 MB",
        configure: { configuration in
            let message = #"{"assistant":"\#(String(repeating: "a", count: 1_000_000))"}"#
            let messages = Array(repeating: message, count: 200).joined(separator: ",")
            let consultation = #"{"id":"7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3b","persona":"nutritionist","messages":["#
            let text = #"{"name":"talk","users":[{"consultations":[\#(consultation)\#(messages)]}]}]}"#
            configuration.adopt(try Scenario.readState(Array(text.utf8), file: "talk.json"))
        },
        rows: [
            .call(Call("GET", "/api/v1/consultations/7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3b/messages")),
            .call(Call("GET", "/api/v1/consultations/7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3b/messages?limit=100")),
            .call(Call("DELETE", "/api/v1/consultations/7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3b")),
        ])

    private static func account(_ path: String, _ number: Int) -> Call {
        let who = #""email":"u\#(number)@example.com","password":"correct horse""#
        let body = path == "login" ? "{\(who)}" : #"{\#(who),"name":"Ada","date_of_birth":"1990-05-17"}"#
        return Call("POST", "/api/v1/auth/\(path)", body)
    }

    /// Passwords with the highest cost.
    static let accounts = Filling(
        name: "32 accounts, `password_cost: 100000`",
        configure: {
            let text = #"{"name":"costly","accounts":{"password_cost":100000}}"#
            $0.adopt(try Scenario.read(Array(text.utf8), file: "costly.json"))
        },
        rows: ["register", "login"].map { path in
            atOnce("32 times `POST /api/v1/auth/\(path)` at once", path == "login" ? 200 : 201) {
                (0..<32).map { account(path, $0).bytes() }
            }
        })

    /// Requests that arrive in one turn of the loop.
    private static func atOnce(
        _ name: String, _ status: Int, within nanoseconds: Int64 = 0,
        _ requests: @escaping @Sendable () -> [[UInt8]]
    ) -> Row {
        .act(name) { turns in
            let requests = requests()
            return {
                for answer in turns.askAtOnce(requests, within: nanoseconds)
                where answer.status != status { throw Unexpected(answer.text) }
            }
        }
    }

    /// The maximum number of waits, for an event that never comes.
    static let waits = Filling(
        name: "60 waits in a journal of 10,000 entries",
        configure: { $0.pace = .instant }, fill: { try $0.fill(10_000, meal, users: 16) },
        rows: [
            atOnce("60 times `POST /__admin/wait` at once", 408, within: 2_000_000_000) {
                (0..<60).map { number in
                    let body = #"{"for":{"path":"/nowhere\#(number)","text":"nobody"},"within":"1s"}"#
                    return Call("POST", Row.admin + "wait", body).bytes()
                }
            },
            atOnce("60 times `POST /__admin/wait` for a text alone", 408, within: 2_000_000_000) {
                (0..<60).map { number in
                    Call("POST", Row.admin + "wait", #"{"for":{"text":"nobody\#(number)"},"within":"1s"}"#).bytes()
                }
            },
            .call(
                Call("POST", Row.admin + "wait", label: "a text of 60,000 bytes") {
                    #"{"for":{"text":"\#(String(repeating: "ab", count: 30_000))"},"within":"0"}"#
                }, status: 408),
        ])

    /// The maximum number of entities of one user.
    static let crowdedUser = Filling(
        name: "a user with 10,000 meals, 10,000 moods and 100,000 consultations",
        rows: [
            .call(
                Call("PUT", Row.admin + "state", label: "the user") {
                    let meal = #"{"text":"an egg","meal_type":"lunch"}"#
                    let consultations = (0..<100_000).map {
                        #"{"id":"\#(consultation($0))","persona":"nutritionist","status":"archived"}"#
                    }
                    let mood = #"{"valence":1,"logged_at":"2000-01-01T00:00:00Z"}"#
                    func list(_ item: String, _ count: Int) -> String {
                        "[" + Array(repeating: item, count: count).joined(separator: ",") + "]"
                    }
                    return #"{"name":"full","users":[{"id":"\#(DevelopmentCredentials.userID)","#
                        + #""meal_logs":\#(list(meal, 10_000)),"consultations":[\#(consultations.joined(separator: ","))],"#
                        + #""documents":{"mood_entries":\#(list(mood, 10_000))}}]}"#
                }),
            .call(Call("GET", "/api/v1/consultations")), .call(Call("GET", "/api/v1/meal-logs")),
            .call(Call("GET", "/api/v1/consultations?from=2020-01-01T00:00:00Z")),
            // One of them compacts the places that the others left.
            .act("`DELETE /api/v1/consultations/{id}` of 60,000, one by one") { turns in
                let requests = (0..<60_000).map { Call("DELETE", "/api/v1/consultations/\(consultation($0))").bytes() }
                return {
                    for request in requests {
                        let answer = turns.ask(request)
                        guard (200..<300).contains(answer.status) else { throw Unexpected(answer.text) }
                    }
                }
            },
            .call(Call("DELETE", "/api/v1/users/me")),
        ])

    private static func consultation(_ number: Int) -> String { "00000000-0000-4000-8000-\(100_000_000_000 + number)" }
}
