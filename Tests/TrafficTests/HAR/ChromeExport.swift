/// A file as Chrome's Network panel exports it, member for member, with invented contents.
///
/// Message times are seconds, a WebSocket's `wait` is its duration, sizes may be negative, and bodies are decoded.
enum ChromeExport {
    private static let userAgent = #"""
        {"name": "User-Agent",
        "value": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"}
        """#

    private static func entry(
        _ type: String, _ method: String, _ path: String, at second: String, headers: String = "", query: String = "",
        bodySize: Int = 0, _ postData: String = "", response: String, connection: String = "1101"
    ) -> String {
        #"""
        {"_initiator": {"type": "script", "stack": {"callFrames": [{"functionName": "eval", "scriptId": "12", "url": "",
          "lineNumber": 20, "columnNumber": 15}], "parent": {"description": "await", "callFrames": []}}},
          "_priority": "High", "_resourceType": "\#(type)", "cache": {}, "connection": "8080",
          "request": {"method": "\#(method)", "url": "http://127.0.0.1:8080\#(path)", "httpVersion": "HTTP/1.1",
          "headers": [{"name": "Accept", "value": "*/*"}, {"name": "Accept-Encoding",
          "value": "gzip, deflate, br, zstd"}, {"name": "Host", "value": "127.0.0.1:8080"}, {"name": "Referer",
          "value": "http://127.0.0.1:8080/health"}, {"name": "Sec-Fetch-Mode", "value": "cors"}, \#(userAgent),
          {"name": "X-API-Key", "value": "an-invented-key"}, {"name": "sec-ch-ua-mobile", "value": "?0"}\#(headers)],
          "queryString": [\#(query)], "cookies": [], "headersSize": 812, "bodySize": \#(bodySize)\#(postData)},
          "response": {\#(response), "_fetchedViaServiceWorker": false}, "serverIPAddress": "127.0.0.1",
          "startedDateTime": "2025-01-29T10:30:\#(second)Z", "time": 6.672999996226281,
          "timings": {"blocked": 0.9699999992381781, "dns": -1, "ssl": -1, "connect": -1,
          "send": 0.09499999999999997, "wait": 4.382999997011386, "receive": 1.224999999976717,
          "_blocked_queueing": 0.7069999992381781, "_workerStart": -1, "_workerReady": -1,
          "_workerFetchStart": -1, "_workerRespondWithSettled": -1}, "_connectionId": "\#(connection)",
          "pageref": "page_1"}
        """#
    }

    /// A response with the text, which is escaped as in JSON.
    private static func response(
        _ status: Int, _ phrase: String, size: Int, _ text: String, fields: String? = nil
    ) -> String {
        let usual = #"""
            {"name": "Content-Length", "value": "\#(size)"}, {"name": "Content-Type",
            "value": "application/json; charset=utf-8"}, {"name": "Date", "value": "Wed, 29 Jan 2025 10:30:00 GMT"}
            """#
        return #"""
            "status": \#(status), "statusText": "\#(phrase)", "httpVersion": "HTTP/1.1",
            "headers": [\#(fields ?? usual)], "cookies": [], "content": {"size": \#(size),
            "mimeType": "application/json", "compression": 0, "text": "\#(text)"}, "redirectURL": "",
            "headersSize": 130, "bodySize": \#(size), "_transferSize": \#(130 + size), "_error": null
            """#
    }

    private static func socket(at second: String, time: String, wait: String, messages: String) -> String {
        #"""
        {"_initiator": {"type": "script", "stack": {"callFrames": []}}, "_priority": null,
          "_resourceType": "websocket", "cache": {}, "request": {"method": "GET",
          "url": "ws://127.0.0.1:8080/api/v1/consultations/c-1/ws?token=t0ken", "httpVersion": "HTTP/1.1",
          "headers": [{"name": "Upgrade", "value": "websocket"}, {"name": "Origin",
          "value": "http://127.0.0.1:8080"}, {"name": "Connection", "value": "Upgrade"},
          {"name": "Sec-WebSocket-Key", "value": "AAAAAAAAAAAAAAAAAAAAAA=="}, \#(userAgent),
          {"name": "Sec-WebSocket-Version", "value": "13"}, {"name": "Host", "value": "127.0.0.1:8080"},
          {"name": "Sec-WebSocket-Extensions", "value": "permessage-deflate; client_max_window_bits"}],
          "queryString": [{"name": "token", "value": "t0ken"}], "cookies": [], "headersSize": 749, "bodySize": 0},
          "response": {"status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1",
          "headers": [{"name": "Upgrade", "value": "websocket"}, {"name": "Date",
          "value": "Wed, 29 Jan 2025 10:30:02 GMT"}, {"name": "Sec-WebSocket-Accept",
          "value": "ICX+Yqv66kxgM0FcWaLWlFLwTAI="}, {"name": "Connection", "value": "Upgrade"}], "cookies": [],
          "content": {"size": 0, "mimeType": "x-unknown", "compression": 166}, "redirectURL": "",
          "headersSize": 166, "bodySize": -166, "_transferSize": 0, "_error": null,
          "_fetchedViaServiceWorker": false}, "serverIPAddress": "",
          "startedDateTime": "2025-01-29T10:30:\#(second)Z", "time": \#(time), "timings": {"blocked": -1,
          "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": \#(wait), "receive": 1.9879999963450246,
          "_blocked_queueing": -1}, "pageref": "page_1", "_webSocketMessages": [\#(messages)]}
        """#
    }

    private static let entries = [
        entry(
            "document", "GET", "/health", at: "00.136",
            response: response(200, "OK", size: 15, #"{\"status\":\"ok\"}"#)),
        entry(
            "other", "GET", "/favicon.ico", at: "00.250",
            response: response(404, "Not Found", size: 24, #"{\"error\":\"nothing here\"}"#)),
        entry(
            "fetch", "POST", "/api/v1/consultations", at: "01.312",
            headers:
                #", {"name": "Content-Length", "value": "34"}, {"name": "Content-Type", "value": "application/json"}"#,
            bodySize: 34,
            #", "postData": {"mimeType": "application/json", "text": "{\"persona\":\"coach\",\"title\":\"Früh\"}"}"#,
            response: response(201, "Created", size: 27, #"{\"id\":\"c-1\",\"title\":\"Früh\"}"#)),
        entry(
            "fetch", "GET", "/api/v1/consultations/c-1/messages?page=1", at: "01.400",
            query: #"{"name": "page", "value": "1"}"#,
            response: response(
                200, "OK", size: 2, "[]",
                fields: #"""
                    {"name": "Content-Encoding", "value": "gzip"}, {"name": "Content-Type",
                    "value": "application/json; charset=utf-8"}
                    """#)),
        entry(
            "fetch", "GET", "/blocked", at: "01.500",
            response: #"""
                "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [], "content": {"size": 0,
                "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
                "_error": "net::ERR_FAILED"
                """#, connection: ""),
        socket(
            at: "02.352", time: "5617.183999995177", wait: "5615.195999998832",
            messages: #"""
                {"type": "receive", "time": 1738146602.359657, "opcode": 1, "data": "{\"type\":\"connected\"}"},
                {"type": "send", "time": 1738146602.359983, "opcode": 1,
                "data": "{\"type\":\"message\",\"content\":\"Olá\"}"}, {"type": "send", "time": 1738146602.4,
                "opcode": 2, "data": "AP8B"}, {"type": "error", "time": 1738146607.9, "opcode": -1,
                "data": "Connection closed before receiving a handshake response"}
                """#),
        socket(at: "03.000", time: "4002.487999996345", wait: "4000.5", messages: ""),
    ]

    static let text = #"""
        {"log": {
          "version": "1.2",
          "creator": {"name": "WebInspector", "version": "537.36"},
          "pages": [{"startedDateTime": "2025-01-29T10:30:00.136Z", "id": "page_1",
            "title": "http://127.0.0.1:8080/health", "pageTimings": {"onContentLoad": 72.33399999677204,
            "onLoad": 72.72499999817228}}],
          "entries": [\#(entries.joined(separator: ","))]}}
        """#
}
