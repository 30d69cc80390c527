// Reads the Compose file of the working folder as `docker compose config --format json` does: with the loader of
// Compose, from .env, the environment and the files that it names. It needs no engine.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	read, err := read()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(read))
}

func read() ([]byte, error) {
	options, err := cli.NewProjectOptions(nil, cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv,
		cli.WithDefaultConfigPath, cli.WithDiscardEnvFile)
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}
