package gopls_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// patience bounds the time that a test waits for gopls.
const patience = 2 * time.Minute

// A server is a gopls that a test talks to over its standard input and output, as an editor does.
type server struct {
	t        *testing.T
	dir      string
	in       io.WriteCloser
	settings map[string]any

	mu      sync.Mutex
	last    int
	answers map[int]chan answer
	found   map[string][]diagnostic // by URI, the latest
	change  chan struct{}           // closed and replaced when found changes
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	textEdit struct {
		Range   span
		NewText string
	}
	diagnostic struct {
		Range              span                   `json:"range"`
		Severity           int                    `json:"severity"`
		Code               any                    `json:"code,omitempty"`
		CodeDescription    *struct{ Href string } `json:"codeDescription,omitempty"`
		Source             string                 `json:"source"`
		Message            string                 `json:"message"`
		RelatedInformation []struct {
			Location location
			Message  string
		} `json:"relatedInformation,omitempty"`
		Data json.RawMessage `json:"data,omitempty"`
	}
)

// start runs gopls on a directory.
func start(t *testing.T, program, dir string, settings map[string]any) *server {
	t.Helper()
	cmd := exec.Command(program, "serve")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPLSCACHE="+t.TempDir(), "GOFLAGS=", "GOWORK=", "GOPROXY=off", "GOTELEMETRY=off", "HOME="+t.TempDir())
	if goEnv, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output(); err == nil {
		var cache, mod string
		fmt.Sscan(string(goEnv), &cache, &mod)
		cmd.Env = append(cmd.Env, "GOCACHE="+cache, "GOMODCACHE="+mod)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir, in: in, settings: settings,
		answers: make(map[int]chan answer), found: make(map[string][]diagnostic), change: make(chan struct{})}
	done := make(chan struct{})
	go func() { defer close(done); s.read(bufio.NewReader(out)) }()
	t.Cleanup(func() {
		s.call("shutdown", nil, nil)
		s.send(map[string]any{"method": "exit"})
		timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		<-done
		cmd.Wait()
		timer.Stop()
	})
	s.call("initialize", map[string]any{
		"processId": os.Getpid(),
		"rootUri":   s.uri(""),
		"capabilities": map[string]any{
			"workspace": map[string]any{"configuration": true},
			"textDocument": map[string]any{
				"publishDiagnostics": map[string]any{"relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true},
				"codeAction": map[string]any{
					"dataSupport":              true,
					"resolveSupport":           map[string]any{"properties": []string{"edit"}},
					"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}},
				},
			},
		},
		"initializationOptions": settings,
	}, nil)
	s.send(map[string]any{"method": "initialized", "params": map[string]any{}})
	return s
}

func (s *server) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(s.dir, name))
}

// send writes a message.
func (s *server) send(message map[string]any) {
	message["jsonrpc"] = "2.0"
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // of a literal in this file
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

// call makes a request and waits for the answer.
func (s *server) call(method string, params, result any) {
	s.t.Helper()
	c := make(chan answer, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.answers[id] = c
	s.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	s.send(message)
	select {
	case a := <-c:
		if a.Error != nil {
			s.t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				s.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(patience):
		s.t.Fatalf("%s: no answer", method)
	}
}

// read takes the messages of gopls.
func (s *server) read(r *bufio.Reader) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.answers {
			select {
			case c <- answer{Error: &struct{ Message string }{"gopls has ended"}}:
			default:
			}
		}
	}()
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var message struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
			answer
		}
		if json.Unmarshal(body, &message) != nil {
			return
		}
		s.handle(message.ID, message.Method, message.Params, message.answer)
	}
}

func (s *server) handle(id json.RawMessage, method string, params json.RawMessage, a answer) {
	switch {
	case method == "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []diagnostic
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		s.mu.Lock()
		s.found[p.URI] = p.Diagnostics
		close(s.change)
		s.change = make(chan struct{})
		s.mu.Unlock()
	case method == "workspace/configuration":
		s.mu.Lock()
		settings := s.settings
		s.mu.Unlock()
		var p struct{ Items []any }
		json.Unmarshal(params, &p)
		var result []any
		for range p.Items {
			result = append(result, settings)
		}
		s.send(map[string]any{"id": id, "result": result})
	case method != "" && id != nil:
		s.send(map[string]any{"id": id, "result": nil})
	case method == "":
		n, _ := strconv.Atoi(string(id))
		s.mu.Lock()
		c := s.answers[n]
		delete(s.answers, n)
		s.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

// open opens a file in the editor.
func (s *server) open(name string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{
		"textDocument": map[string]any{"uri": s.uri(name), "languageId": "go", "version": 1, "text": string(text)},
	}})
}

// edit replaces the text of an open file, and does not save it.
func (s *server) edit(name string, version int, text string) {
	s.send(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
		"textDocument":   map[string]any{"uri": s.uri(name), "version": version},
		"contentChanges": []any{map[string]any{"text": text}},
	}})
}

// configure changes the settings.
func (s *server) configure(settings map[string]any) {
	s.mu.Lock()
	s.settings = settings
	s.mu.Unlock()
	s.send(map[string]any{"method": "workspace/didChangeConfiguration", "params": map[string]any{"settings": settings}})
}

// wait waits until the diagnostics of one rule in a file are as many as wanted, and returns them.
func (s *server) wait(name, rule string, want int) []diagnostic {
	s.t.Helper()
	timeout := time.After(patience)
	for {
		s.mu.Lock()
		var list []diagnostic
		all, published := s.found[s.uri(name)]
		for _, d := range all {
			if d.Source+"/"+fmt.Sprint(d.Code) == rule {
				list = append(list, d)
			}
		}
		change := s.change
		s.mu.Unlock()
		if published && len(list) == want {
			return list
		}
		select {
		case <-change:
		case <-timeout:
			s.t.Fatalf("%s: want %d diagnostics of %s, there are:\n%+v", name, want, rule, all)
		}
	}
}

// actions asks for the quick fixes of a diagnostic.
func (s *server) actions(name string, d diagnostic) map[string][]textEdit {
	s.t.Helper()
	var list []json.RawMessage
	s.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": s.uri(name)},
		"range":        d.Range,
		"context":      map[string]any{"diagnostics": []diagnostic{d}, "only": []string{"quickfix"}},
	}, &list)
	out := make(map[string][]textEdit)
	for _, raw := range list {
		var action struct {
			Title string
			Edit  *struct {
				DocumentChanges []struct{ Edits []textEdit }
				Changes         map[string][]textEdit
			}
		}
		if json.Unmarshal(raw, &action); action.Edit == nil {
			s.call("codeAction/resolve", raw, &action)
		}
		if action.Edit == nil {
			continue
		}
		for _, change := range action.Edit.DocumentChanges {
			out[action.Title] = append(out[action.Title], change.Edits...)
		}
		out[action.Title] = append(out[action.Title], action.Edit.Changes[s.uri(name)]...)
	}
	return out
}
