package caddy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strings"
	"sync"
)

var (
	// rawCfg is the current, generic-decoded configuration;
	// we initialize it as a map with one field ("config")
	// to maintain parity with the API endpoint and to avoid
	// the special case of having to access/mutate the variable
	// directly without traversing into it.
	rawCfg = map[string]any{rawConfigKey: nil}

	// rawCfgJSON is the JSON-encoded form of rawCfg. Keeping
	// this around avoids an extra Marshal call during changes.
	rawCfgJSON []byte

	// rawCfgMu protects all the rawCfg fields and also
	// essentially synchronizes config changes/reloads.
	rawCfgMu sync.RWMutex

	errSameConfig = errors.New("config is unchanged")
)

const rawConfigKey = "config"

// APIError is a structured error that every API handler should return.
type APIError struct {
	HTTPStatus int
	Err        error
}

func (e APIError) Error() string { return e.Err.Error() }

func etagHash(b []byte) string {
	h := fnv.New32a()
	h.Write(b)
	return fmt.Sprintf("%x", h.Sum32())
}

// readConfig writes the JSON encoding of the current config to out.
func readConfig(key string, out io.Writer) error {
	rawCfgMu.RLock()
	defer rawCfgMu.RUnlock()
	return unsyncedConfigAccess(key, out)
}

func unsyncedConfigAccess(key string, out io.Writer) error {
	top, _ := rawCfg[rawConfigKey].(map[string]any)
	return json.NewEncoder(out).Encode(top[key])
}

// changeConfig changes the config under key with input, or removes it if input is nil.
// If ifMatchHeader is not empty, the change is only made if the config still has
// the hash that was given to the client with its GET.
func changeConfig(key string, input []byte, ifMatchHeader string, forceReload bool) error {
	rawCfgMu.Lock()
	defer rawCfgMu.Unlock()

	if ifMatchHeader != "" {
		// expect the first and last character to be quotes
		expected := strings.Trim(ifMatchHeader, `"`)

		// read the config in question and compute its hash
		var buf bytes.Buffer
		if err := unsyncedConfigAccess(key, &buf); err != nil {
			return err
		}
		if etagHash(buf.Bytes()) != expected {
			return APIError{
				HTTPStatus: http.StatusPreconditionFailed,
				Err:        fmt.Errorf("If-Match header did not match current config hash"),
			}
		}
	}

	old, _ := rawCfg[rawConfigKey].(map[string]any)
	top := make(map[string]any, len(old)+1)
	for k, v := range old {
		top[k] = v
	}
	if input == nil {
		delete(top, key)
	} else {
		var val any
		if err := json.Unmarshal(input, &val); err != nil {
			return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
		}
		top[key] = val
	}

	// the mutation is complete, so encode the entire config as JSON
	newCfg, err := json.Marshal(top)
	if err != nil {
		return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
	}
	// if nothing changed, no need to do a whole reload unless the client forces it
	if !forceReload && bytes.Equal(rawCfgJSON, newCfg) {
		return errSameConfig
	}

	// load this new config; if it fails, we keep the old one
	if err := unsyncedDecodeAndRun(newCfg); err != nil {
		return fmt.Errorf("loading new config: %v", err)
	}

	// success, so update our stored copy of the encoded
	// config to keep it consistent with what caddy is now
	// running
	rawCfg[rawConfigKey] = top
	rawCfgJSON = newCfg
	return nil
}

// unsyncedDecodeAndRun runs the config. A write lock on rawCfgMu is required!
func unsyncedDecodeAndRun(cfgJSON []byte) error {
	var newCfg struct {
		Apps map[string]json.RawMessage `json:"apps,omitempty"`
	}
	return json.Unmarshal(cfgJSON, &newCfg)
}

func handleConfig(w http.ResponseWriter, r *http.Request) error {
	key := strings.TrimPrefix(r.URL.Path, "/config/")
	switch r.Method {
	case http.MethodGet:
		w.Header().Set("Content-Type", "application/json")
		var buf bytes.Buffer
		if err := readConfig(key, &buf); err != nil {
			return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
		}
		// we could consider setting up a sync.Pool for the summed
		// hashes to reduce GC pressure.
		w.Header().Set("Etag", `"`+etagHash(buf.Bytes())+`"`)
		_, err := w.Write(buf.Bytes())
		return err

	case http.MethodPost, http.MethodPut, http.MethodDelete:
		var body []byte
		if r.Method != http.MethodDelete {
			var err error
			if body, err = io.ReadAll(r.Body); err != nil {
				return APIError{HTTPStatus: http.StatusBadRequest, Err: err}
			}
		}
		forceReload := r.Header.Get("Cache-Control") == "must-revalidate"
		err := changeConfig(key, body, r.Header.Get("If-Match"), forceReload)
		if err != nil && !errors.Is(err, errSameConfig) {
			return err
		}
		return nil
	}
	return APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("method not allowed")}
}

// setKey is used by the config loaders: it reads, merges and writes, and starts
// again if the config was changed in between.
func setKey(key string, merge func(old []byte) ([]byte, error)) error {
	for {
		var buf bytes.Buffer
		if err := readConfig(key, &buf); err != nil {
			return err
		}
		tag := `"` + etagHash(buf.Bytes()) + `"`
		input, err := merge(buf.Bytes())
		if err != nil {
			return err
		}
		err = changeConfig(key, input, tag, false)
		var apiErr APIError
		if errors.As(err, &apiErr) && apiErr.HTTPStatus == http.StatusPreconditionFailed {
			continue
		}
		if errors.Is(err, errSameConfig) {
			return nil
		}
		return err
	}
}
