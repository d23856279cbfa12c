// A receiver of webhooks in Go, standard library only: SECRET=whsec_… PORT=4000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance = 5 * time.Minute

var secret = os.Getenv("SECRET")

func isRecent(sent time.Time) bool {
	age := time.Since(sent)
	return age <= tolerance && age >= -tolerance
}

func digest(key []byte, head string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(head + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// isSame compares in a time that says nothing of where the two differ.
func isSame(one, other string) bool {
	return hmac.Equal([]byte(one), []byte(other))
}

// hasServiceSignature reads Service-Signature: hex, keyed with the whole secret, over the time as it was sent, a dot and the raw body.
func hasServiceSignature(header http.Header, body []byte) bool {
	sent := header.Get("Service-Timestamp")
	at, err := time.Parse(time.RFC3339Nano, sent)
	if err != nil {
		return false
	}
	expected := "v1=" + hex.EncodeToString(digest([]byte(secret), sent, body))
	return isRecent(at) && isSame(header.Get("Service-Signature"), expected)
}

// hasStandardSignature reads Standard Webhooks: base64, one signature or several; a generated secret is decoded, one you chose is used as it is.
func hasStandardSignature(header http.Header, body []byte) bool {
	sent := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil {
		return false
	}
	key := []byte(secret)
	if strings.HasPrefix(secret, "whsec_") {
		if key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil {
			return false
		}
	}
	expected := "v1," + base64.StdEncoding.EncodeToString(digest(key, header.Get("webhook-id")+"."+sent, body))
	genuine := false
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		genuine = isSame(signature, expected) || genuine
	}
	return genuine && isRecent(time.Unix(seconds, 0))
}

// Keep these ids in your database, where every process sees them, in the transaction of what you do about the delivery.
var seen sync.Map

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil || !hasServiceSignature(request.Header, body) && !hasStandardSignature(request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	// The answer first, the work afterwards: after ten seconds the delivery counts as failed.
	response.WriteHeader(http.StatusNoContent)
	go take(request.Header.Get("Service-Delivery-Id"), body)
}

func take(id string, body []byte) {
	if _, repeated := seen.LoadOrStore(id, true); repeated {
		fmt.Println("repeated", id)
		return
	}
	var event struct {
		Type string
		Data map[string]any
	}
	if err := json.Unmarshal(body, &event); err != nil {
		log.Print(err)
		return
	}
	fmt.Println("received", event.Type, id, event.Data)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
