// The REST API as a good engineer would write it by hand in Go: net/http, and pgx, which prepares each statement once per connection. It checks
// keys as the other peers do, and answers as hand.ts does.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const (
	poolSize = 10
	maxBody  = 64 << 10
	columns  = "id, name, category_id, status::text"
)

type Pet struct {
	ID         int64   `json:"id"`
	Name       string  `json:"name"`
	CategoryID int64   `json:"categoryId"`
	Status     *string `json:"status,omitempty"`
}

type NewPet struct {
	Name       *string `json:"name"`
	CategoryID *int64  `json:"categoryId"`
	Status     *string `json:"status"`
}

type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (failure Failure) Error() string { return failure.Message }

func invalid(message string) Failure { return Failure{"INVALID_VALUE", message, 400} }

var (
	pool        *pgxpool.Pool
	digests     [][sha256.Size]byte
	bearer      = regexp.MustCompile(`^(?i:bearer) +(\S+) *$`)
	requestID   = regexp.MustCompile(`^[\w.-]{1,128}$`)
	limitFormat = regexp.MustCompile(`^([1-9]\d?|100)$`)
	cursor      = regexp.MustCompile(`^id:(-?\d{1,19})$`)
	statuses    = map[string]bool{"available": true, "pending": true, "sold": true}
)

func main() {
	for _, pair := range strings.Split(os.Getenv("API_KEYS"), ",") {
		digests = append(digests, sha256.Sum256([]byte(pair[strings.Index(pair, ":")+1:])))
	}
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	exitOn(err)
	config.MaxConns = poolSize
	config.ConnConfig.RuntimeParams["statement_timeout"] = "5000"
	pool, err = pgxpool.ConnectConfig(context.Background(), config)
	exitOn(err)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	exitOn(err)
	fmt.Printf("ready at http://%s\n", listener.Addr())
	exitOn(http.Serve(listener, http.HandlerFunc(serve)))
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers a request, and writes one line to the log.
func serve(response http.ResponseWriter, request *http.Request) {
	start := time.Now()
	header := response.Header()
	id := request.Header.Get("X-Request-Id")
	if !requestID.MatchString(id) {
		id = newID()
	}
	header.Set("X-Request-Id", id)
	status, body, err := answer(header, request)
	if err != nil {
		failure, isKnown := err.(Failure)
		if !isKnown {
			fmt.Fprintf(os.Stderr, `{"level":50,"reqId":%q,"err":%q}`+"\n", id, err.Error())
			failure = Failure{"INTERNAL", "Internal error.", 500}
		}
		status, body = failure.Status, failure
	}
	send(response, request, status, body)
	fmt.Fprintf(os.Stderr, `{"level":30,"time":%d,"reqId":%q,"method":%q,"status":%d,"ms":%d,"msg":"request"}`+"\n",
		start.UnixMilli(), id, request.Method, status, time.Since(start).Milliseconds())
}

func answer(header http.Header, request *http.Request) (int, any, error) {
	if !isAuthorized(request.Header.Get("Authorization")) {
		return 0, nil, Failure{"UNAUTHORIZED", "An API key is required.", 401}
	}
	path := request.URL.Path
	switch {
	case path == "/v1/pets" && request.Method == http.MethodGet:
		pets, err := listPets(header, request)
		return 200, pets, err
	case path == "/v1/pets" && request.Method == http.MethodPost:
		pet, err := createPet(header, request)
		return 201, pet, err
	case strings.HasPrefix(path, "/v1/pets/") && request.Method == http.MethodGet:
		pet, err := getPet(header, request.Context(), path[len("/v1/pets/"):])
		return 200, pet, err
	}
	return 0, nil, Failure{"NOT_FOUND", "Not found.", 404}
}

func isAuthorized(authorization string) bool {
	match := bearer.FindStringSubmatch(authorization)
	if match == nil {
		return false
	}
	digest := sha256.Sum256([]byte(match[1]))
	for _, candidate := range digests {
		if subtle.ConstantTimeCompare(candidate[:], digest[:]) == 1 {
			return true
		}
	}
	return false
}

func listPets(header http.Header, request *http.Request) ([]Pet, error) {
	query := request.URL.Query()
	text := "20"
	if query.Has("limit") {
		text = query.Get("limit")
	}
	if !limitFormat.MatchString(text) {
		return nil, invalid("limit must be an integer from 1 to 100.")
	}
	limit, _ := strconv.Atoi(text)
	status := query.Get("status")
	if query.Has("status") && !statuses[status] {
		return nil, invalid("status must be one of available, pending, sold.")
	}
	after := int64(math.MinInt64)
	if query.Has("after") {
		var err error
		if after, err = decodeCursor(query.Get("after")); err != nil {
			return nil, invalid("after must be a cursor that this service returned.")
		}
	}

	// One row more than requested tells whether there is a next page.
	var rows pgx.Rows
	var err error
	address := "</v1/pets?limit=" + text
	if status == "" {
		rows, err = pool.Query(request.Context(), "select "+columns+" from pets where id > $1 order by id limit $2", after, limit+1)
	} else {
		address += "&status=" + status
		rows, err = pool.Query(request.Context(),
			"select "+columns+" from pets where status = $1::pet_status and id > $2 order by id limit $3", status, after, limit+1)
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	pets := make([]Pet, 0, limit+1)
	for rows.Next() {
		var pet Pet
		if err := rows.Scan(&pet.ID, &pet.Name, &pet.CategoryID, &pet.Status); err != nil {
			return nil, err
		}
		pets = append(pets, pet)
	}
	link := address + `>; rel="first"`
	if len(pets) > limit {
		pets = pets[:limit]
		link += ", " + address + "&after=" + encodeCursor(pets[limit-1].ID) + `>; rel="next"`
	}
	header.Set("Link", link)
	return pets, rows.Err()
}

func getPet(header http.Header, ctx context.Context, text string) (*Pet, error) {
	header.Set("Deprecation", "@1795132800")
	header.Set("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")
	header.Set("Link", `</v1/pets>; rel="successor-version", </docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html"`)
	missing := Failure{"PET_NOT_FOUND", "No pet has this id.", 404}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != text {
		return nil, missing
	}
	pet, err := readPet(pool.QueryRow(ctx, "select "+columns+" from pets where id = $1", id))
	if err == pgx.ErrNoRows {
		return nil, missing
	}
	return pet, err
}

func createPet(header http.Header, request *http.Request) (*Pet, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBody))
	if err != nil {
		return nil, err
	}
	var pet NewPet
	if err := json.Unmarshal(body, &pet); err != nil {
		return nil, invalid("The body must be a pet.")
	}
	if pet.Name == nil || strings.ContainsRune(*pet.Name, 0) {
		return nil, invalid("name must be a string.")
	}
	if pet.CategoryID == nil {
		return nil, invalid("categoryId must be a 64-bit integer.")
	}
	if pet.Status != nil && !statuses[*pet.Status] {
		return nil, invalid("status must be one of available, pending, sold.")
	}
	created, err := readPet(pool.QueryRow(request.Context(),
		"insert into pets (name, category_id, status) values ($1, $2, ($3::text)::pet_status) returning "+columns,
		*pet.Name, *pet.CategoryID, pet.Status))
	if err == nil {
		header.Set("Location", "/v1/pets/"+strconv.FormatInt(created.ID, 10))
	}
	return created, err
}

func readPet(row pgx.Row) (*Pet, error) {
	var pet Pet
	err := row.Scan(&pet.ID, &pet.Name, &pet.CategoryID, &pet.Status)
	return &pet, err
}

// send writes a body as JSON, with an ETag if it was read.
func send(response http.ResponseWriter, request *http.Request, status int, body any) {
	header := response.Header()
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Authorization")
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		status = 500
	}
	payload := strings.TrimSuffix(text.String(), "\n")
	if request.Method == http.MethodGet && status == 200 {
		digest := sha1.Sum([]byte(header.Get("Link") + "\n" + payload))
		etag := `"` + base64.RawURLEncoding.EncodeToString(digest[:]) + `"`
		header.Set("Etag", etag)
		if request.Header.Get("If-None-Match") == etag {
			response.WriteHeader(304)
			return
		}
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(payload)))
	response.WriteHeader(status)
	io.WriteString(response, payload)
}

// encodeCursor and decodeCursor use the cursors of our server.
func encodeCursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte("id:" + strconv.FormatInt(id, 10)))
}

func decodeCursor(text string) (int64, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return 0, err
	}
	match := cursor.FindSubmatch(decoded)
	if match == nil {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(string(match[1]), 10, 64)
}

// newID returns a random UUID.
func newID() string {
	var bytes [16]byte
	rand.Read(bytes[:])
	bytes[6], bytes[8] = bytes[6]&0x0f|0x40, bytes[8]&0x3f|0x80
	text := hex.EncodeToString(bytes[:])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}
