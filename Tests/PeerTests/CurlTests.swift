import Foundation
import Testing

private let path = "/api/v1/consultations"

extension Peers {
    @Suite("curl")
    struct CurlStory {
        @Test("curl plays a consultation's story, with its 409 and 429")
        func rest() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-rest")
                let created = try await curl.send("POST", path, #"{"persona":"nutritionist"}"#)
                #expect(created.status == 201)
                let id = try #require(try created.answer().data?.id)

                let conflict = try await curl.send("POST", path, #"{"persona":"nutritionist"}"#)
                #expect(conflict.status == 409)
                #expect(try conflict.answer().error?.details?.existing_consultation_id == id)

                let upper = try await curl.send("GET", "\(path)/\(id.uppercased())")
                #expect(upper.status == 404)
                #expect(try upper.answer().error?.message.contains("lower-case it to \"\(id)\"") == true)
                let lower = try await curl.send("GET", "\(path)/\(id)")
                #expect(lower.status == 200)
                #expect(try lower.answer().data?.persona?.id == "nutritionist")

                for context in ["insight", "mood", "journal"] {
                    for persona in ["nutritionist", "fitness_coach", "wellness_specialist"] {
                        let wish = #"{"persona":"\#(persona)","context_type":"\#(context)"}"#
                        #expect(try await curl.send("POST", path, wish).status == 201, "\(wish)")
                    }
                }
                let eleventh = try await curl.send("POST", path, #"{"persona":"general_wellness"}"#)
                #expect(eleventh.status == 429)
                #expect(try eleventh.answer().error?.code == "TOO_MANY_ACTIVE_CONSULTATIONS")

                let archived = try await curl.send("POST", "\(path)/\(id)/archive")
                #expect(archived.status == 200)
                #expect(try archived.answer().data?.status == "archived")
                #expect(try await curl.send("POST", path, #"{"persona":"general_wellness"}"#).status == 201)

                let list = try await curl.send("GET", "\(path)?page=2&page_size=3&is_archived=false")
                let data = try #require(try list.answer().data)
                #expect(data.consultations?.count == 3)
                #expect(data.pagination?.total_count == 10)
                #expect(data.pagination?.has_next == true)
                let filtered = try await curl.send("GET", "\(path)?is_archived=true")
                #expect(try filtered.answer().data?.consultations?.map(\.id) == [id])
                let actions = try await curl.send("GET", "\(path)/quick-actions?persona=fitness_coach")
                let found = try #require(try actions.answer().data)
                #expect(found.count == found.quick_actions?.count && found.count != 0)
            }
        }

        @Test("curl creates a goal, chats about it and then unlinks, changes and lists it")
        func goals() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-goals")
                let wish = #"{"title":"Run 5 km","description":"","targetDate":"2025-06-30T00:00:00Z"}"#
                let created = try await curl.send("POST", "/api/v1/goals", wish)
                #expect(created.status == 201)
                let goal = try #require(try created.answer().id)
                #expect(try created.answer().data?.id == goal)

                let chat = try await curl.send("POST", "\(path)/chat-about-goal", #"{"goalId":"\#(goal)"}"#)
                #expect(chat.status == 201)
                let answer = try chat.decoded(as: Curl.Chat.self)
                #expect(answer.persona.name == "Wellness Coach")
                let conversation = answer.conversationId
                let linked = try await curl.send("GET", "/api/v1/goals/\(goal)").answer()
                #expect(linked.conversationId == conversation && linked.data?.conversation_id == conversation)
                #expect(try await curl.send("GET", "\(path)/\(conversation)").answer().goalId == goal)

                let unlinked = try await curl.send(
                    "PATCH", "/api/v1/goals/\(goal)", #"{"conversationId":null,"title":"Run 10 km"}"#)
                #expect(unlinked.status == 200)
                #expect(try unlinked.answer().conversationId == nil)
                #expect(try unlinked.answer().title == "Run 10 km")
                #expect(try await curl.send("GET", "\(path)/\(conversation)").answer().goalId == nil)
                let upper = try await curl.send("GET", "/api/v1/goals/\(goal.uppercased())")
                #expect(upper.status == 404)
                #expect(try upper.answer().error?.code == "GOAL_NOT_FOUND")
                #expect(try upper.answer().error?.message.contains("lower-case it to \"\(goal)\"") == true)
                #expect(try await curl.send("GET", "/api/v1/goals").answer().totalCount == 1)
            }
        }

        @Test("curl logs a meal, polls until it is completed and lists it")
        func meals() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-meals")
                func log(_ text: String) async throws -> Curl.Answer.Payload {
                    let wish = #"{"raw_input":"\#(text)","meal_type":"breakfast"}"#
                    let created = try await curl.send("POST", "/api/v1/meal-logs/natural", wish)
                    #expect(created.status == 201)
                    let started = try #require(try created.answer().data)
                    #expect(started.status == "processing" && started.items == nil)
                    let id = try #require(started.id)
                    for _ in 0..<100 {
                        let log = try #require(try await curl.send("GET", "/api/v1/meal-logs/\(id)").answer().data)
                        if log.status != "processing" { return log }
                    }
                    throw NotDone(id: id)
                }
                let eggs = try await log("2 eggs and toast")
                #expect(eggs.status == "completed" && eggs.items?.count == 2)
                #expect(eggs.total_calories == 290 && eggs.total_protein_g == 16.0)
                #expect(try await log("xyzzy").status == "failed")
                let list = try await curl.send("GET", "/api/v1/meal-logs?status=completed&limit=1").answer()
                #expect(list.data?.meal_logs?.map { Optional($0.id) } == [eggs.id])
                #expect(list.data?.total_count == 1)
                let brunch = try await curl.send(
                    "POST", "/api/v1/meal-logs/natural", #"{"raw_input":"2 eggs","meal_type":"brunch"}"#)
                #expect(brunch.status == 400)
                #expect(try brunch.answer().error?.message.contains("meal_type") == true)
            }
        }

        private struct NotDone: Error {
            let id: String
        }

        @Test("curl gets an error for wrong credentials, paths, methods, media types and upgrades")
        func refusals() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-refusals")
                let bare = try Curl.Response(try await curl.run(["--include", server.ready.url + path]))
                #expect(bare.status == 401)
                #expect(bare.fields["www-authenticate"] == "Bearer")
                let expired = try await Command(try Programs.fitiqMock(), ["token", "--expires-in=-5m"])
                let late = try await curl.run([
                    "--include", "--header", "Authorization: Bearer \(expired.output.dropLast())", "--header",
                    "X-API-Key: \(server.ready.api_key)", server.ready.url + path,
                ])
                #expect(try Curl.Response(late).answer().error?.message.contains("expired") == true)

                let socket = try await curl.send("GET", "/ws")
                #expect(socket.status == 404)
                #expect(try socket.answer().error?.message.contains("\(path)/{id}/ws") == true)
                let created = try await curl.send("POST", path, #"{"persona":"nutritionist"}"#)
                let id = try #require(try created.answer().data?.id)
                let plain = try await curl.send("GET", "\(path)/\(id)/ws")
                #expect(plain.status == 426)
                #expect(plain.fields["upgrade"] == "websocket")

                let wrongMethod = try await curl.send("DELETE", path)
                #expect(wrongMethod.status == 405)
                #expect(wrongMethod.fields["allow"] == "GET, HEAD, POST, OPTIONS")
                // The default media type of --data is application/x-www-form-urlencoded.
                let form = try await curl.send("POST", path, nil, "--data", #"{"persona":"nutritionist"}"#)
                #expect(form.status == 415)
                #expect(try form.answer().error?.message.contains("application/x-www-form-urlencoded") == true)
            }
        }

        @Test("curl reuses a connection for all its URLs")
        func keepAlive() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-keep-alive")
                let urls = [path, "\(path)/quick-actions", "/health", "/nowhere", "/ready"].map {
                    server.ready.url + $0
                }
                let output = try await curl.run(
                    ["--write-out", "\\n%{http_code} %{num_connects}\\n"] + curl.credentials + urls)
                let lines = output.split(separator: "\n").map(String.init).filter { $0.count == 5 }
                #expect(lines == ["200 1", "200 0", "200 0", "404 0", "200 0"])
            }
        }

        @Test("curl can send a body in chunks or after 100 Continue")
        func bodies() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-bodies")
                let chunked = try await curl.send(
                    "POST", path, #"{"persona":"nutritionist"}"#, "--header", "Transfer-Encoding: chunked")
                #expect(chunked.status == 201)
                // This is longer than curl waits by default, so the body is sent in time only if the server sends its
                // 100.
                let expecting = try await curl.send(
                    "POST", path, #"{"persona":"fitness_coach"}"#, "--header", "Expect: 100-continue",
                    "--expect100-timeout", "60")
                #expect(expecting.interim == ["HTTP/1.1 100 Continue"])
                #expect(expecting.status == 201)
            }
        }

        @Test("curl can use HEAD, OPTIONS and HTTP/1.0")
        func methods() async throws {
            try await RunningServer.serve("--instant") { server in
                let curl = try await Curl(server, user: "curl-methods")
                let get = try await curl.send("GET", path)
                let head = try Curl.Response(
                    try await curl.run(["--head"] + curl.credentials + [server.ready.url + path]))
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.fields["content-length"] == String(get.body.utf8.count))
                #expect(head.fields["content-type"] == "application/json; charset=utf-8")
                let options = try await curl.send("OPTIONS", path)
                #expect(options.status == 204)
                #expect(options.fields["allow"] == "GET, HEAD, POST, OPTIONS")
                let old = try await curl.send("GET", path, nil, "--http1.0")
                #expect(old.status == 200)
                #expect(old.body == get.body)
            }
        }
    }
}
