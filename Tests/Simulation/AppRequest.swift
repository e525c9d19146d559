import FitIQAPI

/// A request from the apps: an operation, the ids in its path, and its content.
struct AppRequest: CustomStringConvertible {
    let endpoint: Endpoint
    /// The path's parameters, in order, as strings because they may be invalid.
    var ids: [String] = []
    /// The requested part of a list; nil for the default.
    var part: ListPart?
    /// The rest of the query: `q=walk`.
    var query: String?
    var body = AppBody.none
    /// The account whose token is sent; nil for the user's own token.
    var account: SimulatedAccount?

    var description: String {
        let words = [endpoint.name] + ids + [part?.query(of: endpoint), query, body.note].compactMap { $0 }
        return words.joined(separator: " ") + (account.map { ", account \($0.subject)" } ?? "")
    }

    var path: String {
        var rest = ids[...]
        let segments = endpoint.template.split(separator: "/")
            .map { $0.hasPrefix("{") ? rest.popFirst() ?? "" : String($0) }
        let queries = [part?.query(of: endpoint), query].compactMap { $0 }
        return "/" + segments.joined(separator: "/") + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
    }
}

/// A part of a list, given by an offset or a page number.
struct ListPart {
    /// Whether the part is given by `offset` rather than by a page number.
    var isOffset: Bool
    /// The offset, counted from 0, or the page number, counted from 1.
    var start: Int
    var size: Int

    var page: Page { isOffset ? Page(offset: start, size: size) : Page(number: start, size: size) }

    func query(of endpoint: Endpoint) -> String {
        if isOffset { return "limit=\(size)&offset=\(start)" }
        let hasPageSize = endpoint == .listConsultations || endpoint == .listMessages
        return "page=\(start)&\(hasPageSize ? "page_size" : "limit")=\(size)"
    }
}

/// The part of an app request's content that affects the answer.
enum AppBody {
    case none
    case members(String)
    /// An object that breaks a rule of the collection.
    case invalid(String)
    case login(address: Int, isRight: Bool)
    case token(SimulatedTicket)
    case question(Persona, String)
    case change(Persona?, isArchived: Bool?)
    case meals(Int)
    /// A meal with or without its type; the list with this name has this many foods of 200 calories each.
    case foods(Int, in: String, typed: Bool)
    case photo
    case sharing(with: String)
    /// A profile with this name, and ids that have no effect.
    case profile(name: String)

    static let mediaTypeOfPhotos = "multipart/form-data; boundary=photo"

    var mediaType: String { if case .photo = self { Self.mediaTypeOfPhotos } else { "application/json" } }

    var text: String? {
        switch self {
        case .none: return nil
        case .members(let members), .invalid(let members): return "{\(members)}"
        case .login(let address, let isRight):
            let password = isRight ? "password" : "passw0rd"
            return #"{"email":"\#(SimulatedAccount.email(address))","password":"\#(password)"}"#
        case .token(let ticket): return #"{"refresh_token":"\#(ticket.text)"}"#
        case .question(let persona, let question):
            return #"{"persona":"\#(persona.rawValue)","initial_message":"\#(question)"}"#
        case .change(let persona, let isArchived):
            let members = [
                persona.map { #""persona":"\#($0.rawValue)""# }, isArchived.map { #""is_archived":\#($0)"# },
                #""title":"Changed""#,
            ]
            return "{" + members.compactMap { $0 }.joined(separator: ",") + "}"
        case .meals(let count):
            let meals = (0..<count).map {
                #"{"raw_input":"\#(Texts.meals[$0 % Texts.meals.count])","meal_type":"drink"}"#
            }
            return #"{"meal_logs":[\#(meals.joined(separator: ","))]}"#
        case .foods(let count, let list, let isTyped):
            let name = list == "confirmed_items" ? "name" : "food_name"
            let food =
                #"{"\#(name)":"Rice","quantity":1,"unit":"cup","calories":200,"protein_g":4,"carbs_g":45,"fat_g":0.5}"#
            let foods = Array(repeating: food, count: count).joined(separator: ",")
            return #"{"\#(list)":[\#(foods)]\#(isTyped ? #","meal_type":"lunch""# : "")}"#
        case .photo:
            return "--photo\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n"
                + "Content-Type: image/jpeg\r\n\r\npixels\r\n--photo--\r\n"
        case .sharing(let user): return #"{"shared_with_user_ids":["\#(user)"],"professional_type":"sports_coach"}"#
        case .profile(let name):
            return #"{"name":"\#(name)","preferred_unit_system":"metric","id":"user-0","user_id":"user-0"}"#
        }
    }

    fileprivate var note: String? {
        switch self {
        case .none, .photo, .members, .question: nil
        case .invalid(let members): "invalid: \(members)"
        case .login(let address, let isRight): "\(SimulatedAccount.email(address))\(isRight ? "" : ", wrong password")"
        case .token(let ticket): "\(ticket.id)\(ticket.isSpent ? " (spent)" : "")"
        case .change(let persona, let isArchived):
            "\(persona?.rawValue ?? "same persona")\(isArchived.map { ", archived: \($0)" } ?? "")"
        case .meals(let count): "\(count) meals"
        case .foods(let count, let list, _): "\(count) \(list)"
        case .sharing(let user): "with \(user)"
        case .profile(let name): name
        }
    }
}
