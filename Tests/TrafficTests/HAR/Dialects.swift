import JSON

/// Files as other programs write them, small and invented.
enum Dialects {
    /// Chrome's exporter: HTTP/2 with pseudo-fields, base64 of images, an aborted request, a WebSocket with an error.
    static let chrome = #"""
        {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [],
          "entries": [
            {"_initiator": {"type": "script"}, "_priority": "High", "_resourceType": "fetch", "cache": {},
             "connection": "443",
             "request": {"method": "GET", "url": "https://api.example.com/api/v1/goals", "httpVersion": "http/2.0",
               "headers": [{"name": ":authority", "value": "api.example.com"}, {"name": "accept", "value": "*/*"}],
               "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
             "response": {"status": 200, "statusText": "", "httpVersion": "http/2.0",
               "headers": [{"name": "content-encoding", "value": "gzip"},
                           {"name": "content-type", "value": "application/json"}],
               "cookies": [], "content": {"size": 2, "mimeType": "application/json", "text": "{}"},
               "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 120, "_error": null},
             "serverIPAddress": "127.0.0.1", "startedDateTime": "2025-01-29T10:30:00.500Z",
             "time": 12.345678901234567,
             "timings": {"blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.25, "wait": 10.5,
               "receive": 0.1, "_blocked_queueing": 0.3}},
            {"_resourceType": "image", "request": {"method": "GET", "url": "https://api.example.com/logo.png",
               "headers": []},
             "response": {"status": 200, "headers": [],
               "content": {"size": 3, "mimeType": "image/png", "text": "/wCA", "encoding": "base64"}},
             "startedDateTime": "2025-01-29T10:30:01.000Z", "time": 1},
            {"request": {"method": "GET", "url": "https://api.example.com/aborted", "headers": []},
             "response": {"status": 0, "statusText": "", "headers": [], "content": {"size": 0, "mimeType": "x-unknown"},
               "_error": "net::ERR_ABORTED"},
             "startedDateTime": "2025-01-29T10:30:02.000Z", "time": 1},
            {"_resourceType": "websocket", "_webSocketMessages": [
               {"type": "receive", "time": 1738146604.123456, "opcode": 1, "data": "{\"type\":\"connected\"}"},
               {"type": "send", "time": 1738146605.5, "opcode": 2, "data": "AP8="},
               {"type": "error", "time": 1738146606.5, "opcode": -1, "data": "net::ERR_FAILED"}],
             "request": {"method": "GET", "url": "wss://api.example.com/ws", "headers": []},
             "response": {"status": 101, "statusText": "Switching Protocols", "headers": [],
               "content": {"size": 0, "mimeType": "x-unknown"}},
             "startedDateTime": "2025-01-29T10:30:04.000Z", "time": 2500, "timings": {"wait": 2400}},
            {"_resourceType": "websocket",
             "request": {"method": "GET", "url": "wss://api.example.com/refused", "headers": []},
             "response": {"status": 401, "headers": [], "content": {"size": 0}},
             "startedDateTime": "2025-01-29T10:30:05.000Z", "time": 2},
            {"_resourceType": "websocket", "_webSocketMessages": [
               {"type": "send", "time": 1738146607, "opcode": 1, "data": "open while saved"}],
             "request": {"method": "GET", "url": "wss://api.example.com/open", "headers": []},
             "response": {"status": 0, "headers": [], "content": {"size": 0}},
             "startedDateTime": "2025-01-29T10:30:06.000Z", "time": 0}
          ]}}
        """#

    /// mitmproxy: an offset of zero, an https URL of a WebSocket, empty objects where nothing was answered.
    static let mitmproxy = #"""
        {"log": {"version": "1.2", "creator": {"name": "mitmproxy", "version": "11.0.2", "comment": ""}, "pages": [],
          "entries": [
            {"startedDateTime": "2025-01-29T10:30:00.250001+00:00", "time": 3.5, "request": {"method": "POST",
               "url": "https://api.example.com/api/v1/goals", "httpVersion": "HTTP/1.1", "cookies": [],
               "headers": [{"name": "Content-Type", "value": "application/json"}], "queryString": [],
               "headersSize": 80, "bodySize": 2,
               "postData": {"mimeType": "application/json", "text": "{}", "params": []}},
             "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
               "content": {}, "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
               "_error": "server disconnected"},
             "cache": {}, "timings": {"connect": -1.0, "ssl": -1.0, "send": 0.5, "receive": 0, "wait": -0.25}},
            {"startedDateTime": "2025-01-29T10:30:01+00:00", "time": 4, "request": {"method": "GET",
               "url": "https://api.example.com/ws", "headers": [{"name": "Upgrade", "value": "websocket"}]},
             "response": {"status": 101, "headers": [], "content": {"size": 0, "mimeType": "", "text": ""}},
             "cache": {}, "timings": {"connect": 1.0, "send": 0.5, "receive": 0.5, "wait": 2.0},
             "_resourceType": "websocket", "_webSocketMessages": [
               {"type": "send", "time": 1738146601.0050001, "opcode": 1, "data": "half a pair: \ud83d"},
               {"type": "receive", "time": 1738146601.25, "opcode": 2, "data": "AQID"}]}
          ]}}
        """#

    /// Firefox: local time, whole milliseconds, no messages, no content beyond a limit.
    static let firefox = #"""
        {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "140.0"},
          "browser": {"name": "Firefox", "version": "140.0"}, "pages": [],
          "entries": [
            {"startedDateTime": "2025-01-29T11:30:00.120+01:00", "request": {"bodySize": 9, "method": "POST",
               "url": "https://api.example.com/token", "httpVersion": "HTTP/2",
               "headers": [{"name": "Host", "value": "api.example.com"}], "cookies": [], "queryString": [],
               "headersSize": 400, "postData": {"mimeType": "application/x-www-form-urlencoded",
                 "params": [{"name": "a b", "value": "é&="}, {"name": "c", "value": ""}]}},
             "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [], "cookies": [],
               "content": {"mimeType": "application/json", "size": 2000000, "comment": "Response bodies not included."},
               "redirectURL": "", "headersSize": 300, "bodySize": 2000300},
             "cache": {}, "timings": {"blocked": 1, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 40,
               "receive": 2}, "_securityState": "secure"},
            {"startedDateTime": "2025-01-29T11:30:01.000+01:00", "request": {"method": "GET",
               "url": "wss://api.example.com/ws", "headers": []},
             "response": {"status": 101, "headers": [], "content": {"size": 0, "text": ""}},
             "cache": {}, "timings": {"wait": 5}, "time": 5}
          ]}}
        """#

    /// Playwright with `content: "attach"`: bodies and messages in files of their own, milliseconds, -1 for unknown.
    static let playwright = #"""
        {"log":{"version":"1.2","creator":{"name":"Playwright","version":"1.55.0"},"pages":[],"entries":[
          {"startedDateTime":"2025-01-29T10:30:00.000Z","time":5.99,"request":{"method":"POST",
            "url":"http://127.0.0.1:8080/api/v1/goals","headers":[],"headersSize":1,"bodySize":2,
            "postData":{"mimeType":"application/json","text":"","params":[],"_file":"request.json"}},
           "response":{"status":201,"headers":[],"content":{"size":3,"mimeType":"image/png","_file":"answer.bin"}},
           "cache":{},"timings":{"dns":-1,"connect":-1,"ssl":-1,"send":0,"wait":1.2,"receive":4.7}},
          {"startedDateTime":"2025-01-29T10:30:01.000Z","time":5605.37,"request":{"method":"GET",
            "url":"ws://127.0.0.1:8080/ws","headers":[]},"response":{"status":101,"headers":[],
            "content":{"size":-1,"mimeType":"x-unknown","_file":"messages.jsonl"}},"cache":{},
           "timings":{"send":-1,"wait":-1,"receive":-1},"_resourceType":"websocket"},
          {"startedDateTime":"2025-01-29T10:30:02.000Z","time":-1,"request":{"method":"GET",
            "url":"http://127.0.0.1:8080/failed","headers":[]},"response":{"status":-1,"headers":[],
            "content":{"size":-1,"mimeType":"x-unknown"}},"cache":{},"timings":{"send":-1,"wait":-1,"receive":-1}}
        ]}}
        """#

    static let attachments: [String: [UInt8]] = [
        "request.json": Array("{}".utf8),
        "answer.bin": [0xFF, 0x00, 0x80],
        "messages.jsonl": Array(
            (#"{"type":"receive","time":1738146601500.25,"opcode":1,"data":"one"}"# + "\n"
                + #"{"type":"send","time":-1,"opcode":1,"data":"two"}"# + "\n"
                + #"{"type":"send","time":1738146601501,"opc"#).utf8),
    ]

    static let all = [chrome, ChromeExport.text, mitmproxy, firefox, playwright]
}
