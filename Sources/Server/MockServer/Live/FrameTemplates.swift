import FitIQAPI
import JSON

/// Examples of server frames on a socket, which an operator can change and send.
///
/// The examples are from the AsyncAPI description (``APIDescription/asyncAPI``) of the world's guide.
struct FrameTemplates {
    /// The type and the whole object of each example, in conversation order.
    let all: [(type: String, object: JSONObject)]

    /// - Parameters:
    ///   - description: The AsyncAPI description as JSON.
    ///   - socket: The socket, whose consultation and user are in the examples.
    ///   - time: The time of the examples.
    init(in description: JSONValue, for socket: SocketOpening, at time: Timestamp) {
        let channels = description["channels"]?.object ?? [:]
        // A replayed socket need not belong to the API.
        let channel =
            channels.first { $0.value["address"]?.string == socket.endpoint?.template } ?? channels.first { _ in true }
        let operation = description["operations"]?.object?.first { operation in
            operation.value["action"] == "send"
                && operation.value["channel"]?["$ref"]?.string == channel.map { "#/channels/\($0.key)" }
        }
        let own: [(String, String?)] = [
            ("consultation_id", socket.consultation), ("user_id", socket.user?.text), ("timestamp", time.wireText),
        ]
        all = (operation?.value["messages"]?.array ?? []).compactMap { reference in
            let name = reference["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
            let example = description["components"]?["messages"]?[name]?["examples"]?[0]?["payload"]
            guard var object = example?.object, let type = object["type"]?.string else { return nil }
            for (key, value) in own where object[key] != nil {
                if let value { object[key] = .string(value) }
            }
            return (type, object)
        }
    }

    /// An example's text in which some members are replaced; nil if there is no example of this type.
    ///
    /// - Throws: A 400 for a member that the example does not have.
    func text(of type: String, with members: JSONObject) throws(APIError) -> [UInt8]? {
        guard var object = all.first(where: { $0.type.isExactly(type) })?.object else { return nil }
        for member in members {
            guard member.key != "type", object[member.key] != nil else {
                throw .unknownAdminKey(member.key, allowed: object.keys.filter { $0 != "type" })
            }
            object[member.key] = member.value
        }
        return JSONValue.object(object).encoded()
    }

    func write(to writer: inout JSONWriter) {
        writer.array("templates") { writer in
            for (type, object) in all {
                var members = object
                members["type"] = nil
                writer.object { writer in
                    writer.member("type", type)
                    writer.member("members", .object(members))
                }
            }
        }
    }
}
