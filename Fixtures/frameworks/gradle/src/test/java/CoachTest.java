import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.Test;

public class CoachTest {
    private static final String API = System.getenv("FITIQ_MOCK_URL") + "/api/v1";
    private static final String SOCKETS = System.getenv("FITIQ_MOCK_WS_URL") + "/api/v1";

    // OkHttp calls the interceptor for the handshake of a WebSocket, too.
    private static final OkHttpClient CLIENT = new OkHttpClient.Builder()
        .addInterceptor(chain -> chain.proceed(chain.request().newBuilder()
            .header("Authorization", "Bearer " + System.getenv("FITIQ_MOCK_TOKEN"))
            .header("X-API-Key", System.getenv("FITIQ_MOCK_API_KEY"))
            .build()))
        .pingInterval(20, TimeUnit.SECONDS)
        .build();

    @Test
    public void goalsAreListed() throws IOException {
        assertNotNull(get("/goals").getAsJsonArray("goals"));
    }

    @Test
    public void aConsultationIsCreatedOrContinued() throws IOException {
        String id = consultation("nutritionist");
        JsonObject consultation = get("/consultations/" + id).getAsJsonObject("data");
        assertEquals("nutritionist", consultation.get("persona").getAsString());
    }

    @Test
    public void theChunksOfAnAnswerAreTheStoredMessage() throws Exception {
        String id = consultation("nutritionist");
        // The socket brings only what is new, so the history comes first.
        messages(id);
        String answer = ask(id, "What should I eat for breakfast?");
        JsonArray messages = messages(id);
        JsonObject last = messages.get(messages.size() - 1).getAsJsonObject();
        assertEquals(last.get("content").getAsString(), answer);
    }

    /** Creates a consultation, or continues the one that exists. */
    private static String consultation(String persona) throws IOException {
        JsonObject body = new JsonObject();
        body.addProperty("persona", persona);
        Request request = new Request.Builder()
            .url(API + "/consultations")
            // In this order OkHttp 3 and 4 both take them.
            .post(RequestBody.create(MediaType.get("application/json"), body.toString()))
            .build();
        try (Response response = CLIENT.newCall(request).execute()) {
            JsonObject answer = json(response);
            if (response.code() == 409) {
                return answer.getAsJsonObject("error").getAsJsonObject("details")
                    .get("existing_consultation_id").getAsString();
            }
            assertEquals(answer.toString(), 201, response.code());
            return answer.getAsJsonObject("data").get("id").getAsString();
        }
    }

    /** Sends a message over the socket of a consultation, and returns the answer when it is complete. */
    private static String ask(String id, String question) throws Exception {
        JsonObject message = new JsonObject();
        message.addProperty("type", "message");
        message.addProperty("content", question);
        CompletableFuture<String> answer = new CompletableFuture<>();
        Request request = new Request.Builder().url(SOCKETS + "/consultations/" + id + "/ws").build();
        WebSocket socket = CLIENT.newWebSocket(request, new WebSocketListener() {
            private final StringBuilder chunks = new StringBuilder();

            @Override
            public void onMessage(WebSocket socket, String text) {
                JsonObject frame = JsonParser.parseString(text).getAsJsonObject();
                switch (frame.get("type").getAsString()) {
                    case "connected":
                        socket.send(message.toString());
                        break;
                    case "stream_chunk":
                        chunks.append(frame.get("content").getAsString());
                        break;
                    case "stream_complete":
                        answer.complete(chunks.toString());
                        break;
                    case "error":
                        answer.completeExceptionally(new IOException(text));
                        break;
                    default:
                        // message_received, and what later versions add.
                        break;
                }
            }

            @Override
            public void onClosing(WebSocket socket, int code, String reason) {
                answer.completeExceptionally(new IOException("closed with " + code));
            }

            @Override
            public void onFailure(WebSocket socket, Throwable error, Response response) {
                answer.completeExceptionally(error);
            }
        });
        try {
            return answer.get(10, TimeUnit.SECONDS);
        } finally {
            socket.close(1000, null);
        }
    }

    private static JsonArray messages(String id) throws IOException {
        return get("/consultations/" + id + "/messages").getAsJsonObject("data").getAsJsonArray("messages");
    }

    private static JsonObject get(String path) throws IOException {
        Request request = new Request.Builder().url(API + path).build();
        try (Response response = CLIENT.newCall(request).execute()) {
            JsonObject answer = json(response);
            assertEquals(answer.toString(), 200, response.code());
            return answer;
        }
    }

    private static JsonObject json(Response response) throws IOException {
        return JsonParser.parseString(response.body().string()).getAsJsonObject();
    }
}
