package driver

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// fullVersion answers -V=full, by which the go command tells one build of a
// tool from another: the answer is part of the key of every cached result, so
// it must change with the binary, and with nothing else.
//
// The answer of unitchecker begins with the path of the binary, which the go
// command cannot parse when the path has a space in it; a bare name serves.
func fullVersion() int {
	sum, err := hashSelf()
	if err != nil {
		return failure(err)
	}
	fmt.Printf("atomvet version devel buildID=%x\n", sum)
	return exitClean
}

func hashSelf() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// version prints what a bug report should say.
func version() int {
	fmt.Printf("atomvet %s, built with %s\n", toolVersion(), runtime.Version())
	return exitClean
}

// toolVersion returns the version of the module.
func toolVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
