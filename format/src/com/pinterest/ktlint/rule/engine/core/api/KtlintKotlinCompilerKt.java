// SPDX-License-Identifier: Apache-2.0
package com.pinterest.ktlint.rule.engine.core.api;

import org.jetbrains.kotlin.cli.FrontendConfigurationKeysKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles;
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment;
import org.jetbrains.kotlin.com.intellij.openapi.diagnostic.Logger;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.PsiFileFactory;
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar.ExtensionStorage;
import org.jetbrains.kotlin.config.CommonConfigurationKeys;
import org.jetbrains.kotlin.config.CompilerConfiguration;

/**
 * A replacement for ktlint's class of this name. The compiler of Kotlin 2.4 requires a storage of extensions, which
 * ktlint 1.8 does not create.
 */
public final class KtlintKotlinCompilerKt {
  private KtlintKotlinCompilerKt() {}

  /** Creates the factory; KtlintKotlinCompiler calls this method. */
  public static PsiFileFactory access$initPsiFileFactory() {
    Logger.setFactory(LoggerFactory.class);
    var configuration = new CompilerConfiguration();
    configuration.put(CommonConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
    FrontendConfigurationKeysKt.setExtensionsStorage(configuration, new ExtensionStorage());
    var environment = KotlinCoreEnvironment.Companion.createForProduction(Disposer.newDisposable(), configuration,
        EnvironmentConfigFiles.JVM_CONFIG_FILES);
    return PsiFileFactory.getInstance(environment.getProject());
  }
}
