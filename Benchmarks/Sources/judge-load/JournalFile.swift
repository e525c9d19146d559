import Glibc
import Load

/// A journal of a day of chatting: users who ask, and streaming answers; nearly all entries are chunks.
enum JournalFile {
    /// The number of users, who take turns; each has one connection for requests and one for a socket.
    private static let users = 50
    /// The chunks of an answer.
    private static let chunks = 40

    /// Writes this many lines; returns their bytes.
    static func write(lines count: Int, to path: String) throws -> Int {
        guard let file = fopen(path, "w") else { throw LoadError.system(call: "open \(path)", code: errno) }
        var total = 0
        var number = 0
        func line(_ connection: Int, _ rest: String) {
            guard number < count else { return }
            number += 1
            let time =
                "2025-01-29T\(two(number / 360_000)):\(two(number / 6000 % 60)):\(two(number / 100 % 60))"
                + ".\(two(number % 100))0000000Z"
            let text =
                "{\"number\":\(number),\"time\":\"\(time)\",\"world\":\"default\",\"connection\":\(connection),"
                + rest.replacing("TIME", with: time) + "}\n"
            total += text.utf8.count
            fputs(text, file)
        }
        func frame(_ connection: Int, _ direction: String, _ payload: String) {
            line(
                connection,
                "\"kind\":\"frame\",\"direction\":\"\(direction)\",\"opcode\":\"text\",\"payload\":\"\(payload)\"")
        }
        for user in 0..<users {
            line(
                user * 2 + 2,
                "\"kind\":\"opened\",\"endpoint\":\"openSocket\",\"user\":\"\(id(user))\",\"requested_at\":\"TIME\","
                    + request("GET", "/api/v1/consultations/\(id(user))/ws", user)
                    + "},\"response\":{\"status\":101,\"fields\":[]}")
        }
        var turn = 0
        while number < count {
            let user = turn % users
            let socket = user * 2 + 2
            line(
                user * 2 + 1,
                "\"kind\":\"exchange\",\"endpoint\":\"listMessages\",\"user\":\"\(id(user))\",\"requested_at\":\"TIME\","
                    + request("GET", "/api/v1/consultations/\(id(user))/messages?limit=50", user)
                    + ",\"body\":\"\"},\"response\":{\"status\":200,\"fields\":[{\"name\":\"Content-Type\","
                    + "\"value\":\"application/json; charset=utf-8\"}],\"body\":\"{\\\"success\\\":true,\\\"data\\\":"
                    + "{\\\"messages\\\":[\(messages(turn))],\\\"total\\\":3}}\"}")
            frame(socket, "client_to_server", "{\\\"type\\\":\\\"message\\\",\\\"content\\\":\\\"And now?\\\"}")
            for chunk in 0..<chunks {
                frame(
                    socket, "server_to_client",
                    "{\\\"type\\\":\\\"stream_chunk\\\",\\\"consultation_id\\\":\\\"\(id(user))\\\","
                        + "\\\"message_id\\\":\\\"\(id(turn))\\\",\\\"content\\\":\\\"word \(chunk) \\\"}")
            }
            frame(
                socket, "server_to_client",
                "{\\\"type\\\":\\\"stream_complete\\\",\\\"message_id\\\":\\\"\(id(turn))\\\"}")
            turn += 1
        }
        guard fclose(file) == 0 else { throw LoadError.system(call: "write \(path)", code: errno) }
        return total
    }

    private static func request(_ method: String, _ target: String, _ user: Int) -> String {
        "\"request\":{\"method\":\"\(method)\",\"target\":\"\(target)\",\"version\":\"1.1\",\"fields\":["
            + "{\"name\":\"Host\",\"value\":\"127.0.0.1:8080\"},{\"name\":\"Authorization\",\"value\":\"Bearer "
            + "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\(id(user))\"},{\"name\":\"X-API-Key\",\"value\":\"fitiq-dev-key\"},"
            + "{\"name\":\"User-Agent\",\"value\":\"FitIQ/1 CFNetwork Darwin\"}]"
    }

    private static func messages(_ turn: Int) -> String {
        (0..<3).map { index in
            "{\\\"id\\\":\\\"\(id(turn * 3 + index))\\\",\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"Something that was "
                + "said before, at some length\\\"}"
        }.joined(separator: ",")
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return "7c9e6679-7425-40de-944b-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
